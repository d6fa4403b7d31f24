// @ts-check
/**
 * The window as the reader changed it, until it is saved as a version of the item. It outlives a
 * reload and a crash, also where the item has another version by then: it stays based on the one
 * that it was drawn on, and a save that meets a newer one shows both and overwrites nothing.
 */
import { mergeBox, rowsOf } from "../review/conflict.js";
import { needsSignIn, sendPatiently } from "../review/patient.js";
import { keepSaid } from "../review/saved.js";
import { html, icon, part } from "./dom.js";
import { clock } from "./format.js";

/** @typedef {{start: number, end: number}} Span */
/** @typedef {{id: number, version: number, start: number, end: number}} Item */

const same = (/** @type {Span} */ a, /** @type {Span} */ b) =>
  Math.abs(a.start - b.start) < 0.005 && Math.abs(a.end - b.end) < 0.005;

/**
 * @param {HTMLElement} root @param {Item} item @param {string} url where versions are posted
 * @param {(window: Span) => void} show called when the window is put back or taken over
 */
export function windowDraft(root, item, url, show) {
  const bar = part(root, "[data-draft]");
  const reader = Number(/** @type {HTMLElement | null} */ (document.querySelector("[data-item]"))?.dataset.user) || undefined;
  const key = `window/${reader ?? ""}/${item.id}`;
  const before = kept(key);
  let base = before?.base ?? item.version, at = before?.at ?? 0;
  let way = { stopped: true };
  let window = before ? { start: before.start, end: before.end } : { start: item.start, end: item.end };
  const put = (/** @type {Span} */ next) => {
    window = next;
    const changed = !same(window, item);
    if (changed) {
      at ||= Date.now();
      localStorage.setItem(key, JSON.stringify({ ...window, base, at }));
      offer();
    } else {
      forget();
      bar.replaceChildren();
    }
    bar.hidden = !changed;
    document.dispatchEvent(new CustomEvent("stage:window", { detail: { window, changed } }));
  };
  function forget() {
    localStorage.removeItem(key);
    [at, base] = [0, item.version];
  }
  /** What to say of a window that was drawn on another version than the one shown. */
  function unsaved() {
    const time = new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    return base === item.version ? "not saved yet" : `not saved since ${time}, on version ${base}, now is ${item.version}`;
  }
  const revert = () => { put({ start: item.start, end: item.end }); show(window); };
  const offer = (note = unsaved()) => bar.replaceChildren(
    icon("edit"), html("span", {}, `Window ${clock(window.start)} to ${clock(window.end)}, ${note}`),
    html("span", { class: "push row row-4" },
      button("Put back", revert), button("Save window", save, "primary", "W")));
  async function save() {
    if (bar.hidden) return;
    const changes = { start: window.start, end: window.end };
    offer("saving");
    way.stopped = true; // of a save that still waits
    const mine = (way = { stopped: false });
    const told = await sendPatiently("POST", url, () => ({ base_version: base, changes, reason: "window", reader }),
      (why, seconds) => offer(`not saved yet: ${why}; trying again in ${seconds} s`), mine);
    if (!told || mine.stopped) return;
    if (told.ok) { forget(); bar.hidden = true; saved(told.body); }
    else if (needsSignIn(told)) { offer("not saved: you are signed out; it goes out when you are back"); askBack(); }
    else if (told.status === 409 && told.body.current) conflict(told.body);
    else offer(`not saved: ${complaint(told)}`);
  }
  function askBack() {
    document.addEventListener("session:back", () => void save(), { once: true });
    document.dispatchEvent(new CustomEvent("session:ended"));
  }
  /** @param {any} problem */
  function conflict(problem) {
    const take = () => { forget(); location.reload(); };
    const { box, focus } = mergeBox({
      rows: rowsOf(problem), base, current: problem.current.version, take,
      save: (dropped) => { if (dropped.length) return take(); base = problem.current.version; void save(); },
    });
    bar.replaceChildren(icon("disagree"), box);
    focus();
  }
  if (!same(window, item)) put(window);
  else if (before) forget();
  return { get window() { return window; }, put, save };
}

/** @param {any} body */
function saved(body) {
  const event = new CustomEvent("stage:saved", { detail: body, cancelable: true });
  if (body.saved_at) keepSaid(body.saved_at);
  if (document.dispatchEvent(event)) location.reload(); // the page shows the new version
}

/** @param {import("../review/patient.js").Told} told */
function complaint({ status, body }) {
  if (status === 403) return "your account may not edit; the change is kept here.";
  const errors = Object.values(body.errors ?? {}).join("; ");
  return errors || String(body.detail ?? body.title ?? `the server answered ${status}`);
}

/** @param {string} text @param {() => void} act @param {string} [look] @param {string} [cap] */
function button(text, act, look = "", cap = "") {
  const made = html("button", { type: "button", class: `btn small ${look}` }, text, ...(cap ? [html("kbd", {}, cap)] : []));
  made.addEventListener("click", act);
  return made;
}

/** @param {string} key @returns {Span & {base: number, at: number} | null} */
function kept(key) {
  try {
    const { start, end, base, at } = JSON.parse(localStorage.getItem(key) ?? "null");
    const isSound = Number.isFinite(start) && end > start && Number.isInteger(base) && Number.isFinite(at);
    return isSound ? { start, end, base, at } : null;
  } catch {
    return null;
  }
}
