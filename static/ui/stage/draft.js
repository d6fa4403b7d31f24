// @ts-check
/**
 * The window as the reader changed it, until it is saved as a version of the item. It outlives a
 * reload of the page, and a save that meets a newer version shows both and overwrites nothing.
 */
import { sendJson } from "../http.js";
import { mergeBox, rowsOf } from "../review/conflict.js";
import { needsSignIn } from "../review/patient.js";
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
  const key = `window/${item.id}/${item.version}`;
  const reader = Number(/** @type {HTMLElement | null} */ (document.querySelector("[data-item]"))?.dataset.user) || undefined;
  let base = item.version, window = kept(key) ?? { start: item.start, end: item.end };
  const put = (/** @type {Span} */ next) => {
    window = next;
    const changed = !same(window, item);
    if (changed) sessionStorage.setItem(key, JSON.stringify(window));
    else sessionStorage.removeItem(key);
    if (changed) offer();
    else bar.replaceChildren();
    bar.hidden = !changed;
    document.dispatchEvent(new CustomEvent("stage:window", { detail: { window, changed } }));
  };
  const revert = () => { put({ start: item.start, end: item.end }); show(window); };
  const offer = (note = "not saved yet") => bar.replaceChildren(
    icon("edit"), html("span", {}, `Window ${clock(window.start)} to ${clock(window.end)}, ${note}`),
    html("span", { class: "push row row-4" },
      button("Put back", revert), button("Save window", save, "primary", "W")));
  async function save() {
    if (bar.hidden) return;
    const changes = { start: window.start, end: window.end };
    offer("saving");
    const answer = await sendJson("POST", url, { base_version: base, changes, reason: "window", reader }).catch(() => null);
    const body = await answer?.json().catch(() => ({})) ?? {};
    if (answer?.ok) { sessionStorage.removeItem(key); bar.hidden = true; saved(body); }
    else if (answer?.status === 409 && body.current) conflict(body);
    else {
      offer(`not saved: ${complaint(answer, body)}`);
      if (answer && needsSignIn({ status: answer.status, ok: false, body })) askBack();
    }
  }
  function askBack() {
    document.addEventListener("session:back", () => void save(), { once: true });
    document.dispatchEvent(new CustomEvent("session:ended"));
  }
  /** @param {any} problem */
  function conflict(problem) {
    const take = () => { sessionStorage.removeItem(key); location.reload(); };
    const { box, focus } = mergeBox({
      rows: rowsOf(problem), base, current: problem.current.version, take,
      save: (dropped) => { if (dropped.length) return take(); base = problem.current.version; void save(); },
    });
    bar.replaceChildren(icon("disagree"), box);
    focus();
  }
  if (!same(window, item)) put(window);
  return { get window() { return window; }, put, save };
}

/** @param {any} body */
function saved(body) {
  const event = new CustomEvent("stage:saved", { detail: body, cancelable: true });
  if (body.saved_at) keepSaid(body.saved_at);
  if (document.dispatchEvent(event)) location.reload(); // the page shows the new version
}

/** @param {Response | null} answer @param {any} body */
function complaint(answer, body) {
  if (!answer) return "the server cannot be reached; the change is kept here.";
  if (answer.status === 401) return "you are signed out; the change is kept here and goes out when you are back.";
  if (answer.status === 403) return "your account may not edit; the change is kept here.";
  const errors = Object.values(body.errors ?? {}).join("; ");
  return errors || String(body.detail ?? body.title ?? `the server answered ${answer.status}`);
}

/** @param {string} text @param {() => void} act @param {string} [look] @param {string} [cap] */
function button(text, act, look = "", cap = "") {
  const made = html("button", { type: "button", class: `btn small ${look}` }, text, ...(cap ? [html("kbd", {}, cap)] : []));
  made.addEventListener("click", act);
  return made;
}

/** @param {string} key @returns {Span | null} */
function kept(key) {
  try {
    const { start, end } = JSON.parse(sessionStorage.getItem(key) ?? "null");
    return Number.isFinite(start) && end > start ? { start, end } : null;
  } catch {
    return null;
  }
}
