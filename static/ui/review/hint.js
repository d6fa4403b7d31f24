// @ts-check
// Says to others that this edit form is open, and shows who else has one open. A hint, no lock:
// it goes stale by itself, and nobody has to wait for it.

import { sendJson } from "../http.js";

const EVERY = 15_000; // ms; the server forgets a hint after 45 s
const LOOK_EVERY = 30_000;

/** @param {HTMLElement} root @param {() => boolean} isOpen */
export function setUpHint(root, isOpen) {
  const url = root.dataset.editing ?? "";
  let held = false;

  /** @param {string[]} names */
  function show(names) {
    const badge = root.querySelector("[data-editing-hint]");
    const text = badge?.querySelector("[data-editing-names]");
    if (!(badge instanceof HTMLElement) || !text) return;
    badge.hidden = !names.length;
    text.textContent = `${names.join(", ")} ${names.length === 1 ? "is" : "are"} editing`;
  }

  async function say() {
    const open = isOpen();
    if (!open && document.visibilityState !== "visible") return;
    const answer = await sendJson(open ? "PUT" : "GET", url).catch(() => null);
    if (open && answer?.ok) held = true;
    if (answer?.ok) show((await answer.json().catch(() => ({}))).others ?? []);
  }

  function release() {
    if (!held) return;
    held = false;
    sendJson("DELETE", url).catch(() => undefined);
  }

  setInterval(() => { if (isOpen()) say(); }, EVERY);
  setInterval(() => { if (!isOpen()) say(); }, LOOK_EVERY);
  addEventListener("pagehide", release);
  return { opened: say, closed: release };
}
