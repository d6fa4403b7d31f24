// @ts-check
// The edit form of an item. What is typed is kept in this tab until it is saved; only the fields
// that were changed are sent, with the version that they were based on.

import { sendJson } from "../http.js";
import { showConflict } from "./conflict.js";
import { optionList } from "./options.js";

const FIELDS = ["stem", "reference_answer", "question_type", "start", "end"];

/** @param {HTMLElement} root */
export function setUpEdit(root) {
  const draft = `edit/${root.dataset.user}/${root.dataset.item}`;
  const form = () => /** @type {HTMLFormElement} */ (root.querySelector("[data-edit]")); // none while sealed
  const data = () => JSON.parse(root.querySelector("#edit-data")?.textContent ?? "{}");
  const field = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form().elements.namedItem(name));
  /** @type {ReturnType<typeof optionList>} */
  let options;
  let asked = false; // whether the next Esc may throw away what was typed

  /** @param {any} content */
  function fill(content) {
    const isMcq = data().kind === "mcq";
    /** @type {HTMLElement} */ (form().querySelector("[data-edit-options]")).hidden = !isMcq;
    /** @type {HTMLElement} */ (form().querySelector("[data-edit-reference]")).hidden = isMcq && !content.reference_answer;
    const types = [...new Set([...data().types, content.question_type])];
    field("question_type").replaceChildren(...types.map((type) => new Option(type || "No type", type)));
    for (const name of FIELDS) field(name).value = content[name];
    options = optionList(form());
    options.put(content.options, content.key_index);
  }

  function now() {
    const number = (/** @type {string} */ name) => Number.parseFloat(field(name).value);
    return {
      stem: field("stem").value, reference_answer: field("reference_answer").value,
      question_type: field("question_type").value, start: number("start"), end: number("end"),
      ...(data().kind === "mcq" ? options.take() : { options: [], key_index: null }),
    };
  }

  function changes() {
    const before = data();
    return Object.fromEntries(Object.entries(now()).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])));
  }

  /** @param {string} focus name of the field to start at */
  function open(focus = "stem") {
    if (!form()?.hidden) return;
    const kept = JSON.parse(sessionStorage.getItem(draft) ?? "null");
    fill(kept?.version === data().version ? { ...data(), ...kept.changes } : data());
    show(true);
    field(focus).focus();
  }

  /** @param {boolean} editing */
  function show(editing) {
    form().hidden = !editing;
    /** @type {HTMLElement} */ (root.querySelector("[data-read]")).hidden = editing;
    /** @type {HTMLElement} */ (root.querySelector("[data-decide]")).hidden = editing;
  }

  /** Close; where something is unsaved, only when asked twice. */
  function leave() {
    const unsaved = Object.keys(changes()).length > 0 || Boolean(field("reason").value);
    if (!unsaved || asked) return close();
    asked = true;
    complain("What you typed is not saved. Press Esc again to throw it away, or Ctrl Enter to save it.");
  }

  function close() {
    asked = false;
    complain("");
    field("reason").value = "";
    sessionStorage.removeItem(draft);
    show(false);
    /** @type {HTMLElement | null} */ (root.querySelector("[data-edit-open]"))?.focus();
  }

  /** @param {string} text */
  function complain(text) {
    const place = /** @type {HTMLElement} */ (form().querySelector("[data-edit-errors]"));
    place.textContent = text;
    place.hidden = !text;
  }

  /** @param {number} base number of the version that the edit is based on */
  async function save(base) {
    const changed = changes();
    if (!Object.keys(changed).length) return close();
    complain("");
    const body = { base_version: base, changes: changed, reason: field("reason").value, cosmetic: field("cosmetic").checked };
    const answer = await sendJson("POST", root.dataset.versions ?? "", body).catch(() => null);
    const problem = await answer?.json().catch(() => ({})) ?? {};
    if (answer?.ok) {
      sessionStorage.removeItem(draft);
      location.reload(); // the clip's window may have changed with it
    } else if (answer?.status === 409 && problem.current) {
      const place = /** @type {HTMLElement} */ (form().querySelector("[data-edit-conflict]"));
      const take = () => { sessionStorage.removeItem(draft); location.reload(); };
      showConflict(place, problem, { take, save, edited: base });
    } else {
      complain(trouble(answer, problem));
    }
  }

  root.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const opener = target.closest("[data-edit-open]");
    if (opener) open(opener.getAttribute("data-edit-open") ?? "stem");
    else if (target.closest("[data-edit-cancel]")) leave();
  });
  root.addEventListener("submit", (event) => {
    if (!form() || event.target !== form()) return;
    event.preventDefault();
    save(data().version);
  });
  root.addEventListener("input", () => {
    if (form()?.hidden ?? true) return;
    if (asked) complain("");
    asked = false;
    sessionStorage.setItem(draft, JSON.stringify({ version: data().version, changes: changes() }));
  }, true);
  root.addEventListener("keydown", (event) => {
    if ((form()?.hidden ?? true) || !form().contains(/** @type {Node} */ (event.target))) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form().requestSubmit();
    else if (event.key === "Escape") { if (!event.repeat) leave(); }
    else return;
    event.preventDefault();
  });
  return { open, isOpen: () => form()?.hidden === false };
}

/** @param {Response | null} answer @param {any} problem */
function trouble(answer, problem) {
  if (!answer) return "Not saved: the server cannot be reached. What you typed stays here.";
  if (answer.status === 401) return "Not saved: you are signed out. What you typed stays here; sign in in another tab and save again.";
  const errors = Object.entries(problem.errors ?? {}).map(([name, text]) => `${name}: ${JSON.stringify(text).replace(/["[\]{}]/g, "")}`);
  return `Not saved: ${errors.join("; ") || problem.detail || `the server answered ${answer.status}`}`;
}
