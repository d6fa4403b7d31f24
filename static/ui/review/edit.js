// @ts-check
// The edit form of an item. What is typed is kept in this browser until it is saved; only what was
// changed is sent, with the version that it was based on.

import { PARTS, rowsOf, showMerge } from "./conflict.js";
import { editFields, offerCategories, showBlame } from "./edit_fields.js";
import { refusalText, saveEdit } from "./edit_save.js";
import { setUpHint } from "./hint.js";
import { keptEdit } from "./kept_edit.js";
import { keepSaid } from "./saved.js";

/**
 * @param {HTMLElement} root
 * @param {{signedOut: () => void, saved: (item: string) => void}} page
 */
export function setUpEdit(root, page) {
  const form = () => /** @type {HTMLFormElement} */ (root.querySelector("[data-edit]")); // none while sealed
  const data = () => JSON.parse(root.querySelector("#edit-data")?.textContent ?? "{}");
  const place = (/** @type {string} */ mark) => /** @type {HTMLElement} */ (root.querySelector(`[${mark}]`));
  const isOpen = () => form()?.hidden === false;
  const hint = setUpHint(root, isOpen);
  const kept = keptEdit(root, `${root.dataset.user}/${root.dataset.item}`, () => data().version);
  /** @type {ReturnType<typeof editFields>} */ let fields;
  /** @type {any} */ let base = null; // the content that is being edited
  /** @type {(() => void) | null} */ let again = null; // what to do once the reader is back
  let asked = false; // whether the next Esc may throw away what was typed
  let way = { stopped: true }; // of the save that is under way

  const isDirty = () => Object.keys(fields.changes(base)).length > 0 || fields.category(base) !== null || Boolean(fields.why().reason);

  /** @param {string} focus name of the field to start at */
  function open(focus = "stem") {
    if (isOpen() || !form()) return;
    const { draft } = kept;
    fields = editFields(form());
    base = draft?.base ?? data();
    fields.put(data(), draft?.now ?? base, draft);
    showBlame(form(), data().blame);
    offerCategories(place("data-edit-categories"), root.dataset.category ?? "");
    kept.tell(place("data-edit-draft"), () => { show(false); open(); });
    show(true);
    fields.field(focus).focus();
    hint.opened();
  }
  /** @param {boolean} editing */
  function show(editing) {
    form().hidden = !editing;
    place("data-read").hidden = editing;
    place("data-decide").hidden = editing;
  }
  /** Close; where something is unsaved, only when asked twice. */
  function leave() {
    if (!isDirty() || asked) return close();
    asked = true;
    complain("What you typed is not saved. Press Esc again to throw it away, or Ctrl Enter to save it.");
  }
  function close() {
    asked = false;
    way.stopped = true;
    complain("");
    place("data-edit-conflict").hidden = true;
    kept.forget();
    show(false);
    hint.closed();
    /** @type {HTMLElement | null} */ (root.querySelector("[data-edit-open]"))?.focus();
  }
  /** @param {string} text */
  function complain(text) {
    const errors = place("data-edit-errors");
    errors.textContent = text;
    errors.hidden = !text;
  }

  /** @param {number} version that the edit is laid over @param {string[]} [dropped] parts in which theirs is taken */
  async function save(version, dropped = []) {
    const left = dropped.flatMap((part) => PARTS[part].fields);
    const sent = () => Object.fromEntries(Object.entries(fields.changes(base)).filter(([name]) => !left.includes(name)));
    if (!Object.keys(sent()).length && !fields.category(base)) return dropped.length ? take() : close();
    way.stopped = true;
    const mine = (way = { stopped: false });
    complain("");
    const told = await saveEdit(
      () => ({ base: version, changes: sent(), category: fields.category(base), ...fields.why(), user: Number(root.dataset.user) }),
      { versions: root.dataset.versions ?? "", category: root.dataset.category ?? "" },
      (reason, seconds) => complain(`Not saved yet: ${reason}. What you typed is kept here; trying again in ${seconds} s.`), mine);
    if (mine.stopped) return;
    mine.stopped = true;
    if (told.outcome === "saved") {
      keepSaid(told.body.saved_at);
      page.saved(root.dataset.item ?? "");
      await take(); // the clip's window may have changed with it
    } else if (told.outcome === "conflict") conflict(told.body);
    else if (told.outcome === "signed-out") {
      again = () => save(version, dropped);
      complain("Not saved: you are signed out. What you typed stays here and goes out when you are back.");
      page.signedOut();
    } else {
      complain(refusalText(told.status, told.body));
      const [blamed] = Object.keys(told.body.errors ?? {});
      const field = blamed && form().elements.namedItem(blamed);
      if (field instanceof HTMLElement) field.focus();
    }
  }
  async function take() {
    hint.closed();
    await kept.forget();
    form().hidden = true; // nothing is kept again while the page goes
    location.reload();
  }
  /** @param {any} problem */
  function conflict(problem) {
    const { version, category: theirs } = problem.current;
    if (version === undefined) {
      base.category = theirs;
      return complain(`Not saved: the category is “${theirs}” by now. Save again to change it.`);
    }
    showMerge(place("data-edit-conflict"), {
      rows: rowsOf(problem), base: base.version, current: version, take, save: (dropped) => save(version, dropped),
    });
  }

  const content = () => ({ base, now: fields.take(), ...fields.why() });
  root.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const opener = target.closest("[data-edit-open]");
    if (opener) open(opener.getAttribute("data-edit-open") || "stem");
    else if (target.closest("[data-edit-cancel]")) leave();
    else if (target.closest("[data-draft-drop]")) kept.forget();
  });
  root.addEventListener("submit", (event) => {
    if (!form() || event.target !== form()) return;
    event.preventDefault();
    save(base.version);
  });
  root.addEventListener("input", () => {
    if (!isOpen()) return;
    if (asked) complain("");
    asked = false;
    if (isDirty()) kept.keep(content());
    else kept.drop();
  });
  root.addEventListener("keydown", (event) => {
    if (!isOpen() || event.key !== "Escape" || !form().contains(/** @type {Node} */ (event.target))) return;
    event.preventDefault();
    if (!event.repeat) leave();
  });
  addEventListener("pagehide", () => { if (isOpen() && isDirty()) kept.keep(content(), true); });
  return {
    isOpen,
    submit: () => { if (isOpen()) form().requestSubmit(); },
    /** @param {string} [focus] */
    open: (focus) => kept.ready.then(() => open(focus)),
    signedIn: () => { const go = again; again = null; go?.(); },
  };
}
