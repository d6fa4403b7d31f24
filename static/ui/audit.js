// @ts-check
// Waits for an audit that is being made: asks how far it is, and loads the page again at its end.
// <p data-audit-state="/audits/7/state.json">…</p>
// The scores of models come as a fragment of the other room.

import { loadIncludes } from "./review/include.js";

const PAUSE = 3000;

/** @param {string} url */
async function ask(url) {
  try {
    const answer = await fetch(url, { headers: { Accept: "application/json" } });
    const { state } = await answer.json();
    if (state === "done" || state === "failed") {
      window.location.reload();
      return;
    }
  } catch {
    // No network: the next question may get through.
  }
  window.setTimeout(() => ask(url), PAUSE);
}

void loadIncludes(document);
const waiting = /** @type {HTMLElement | null} */ (document.querySelector("[data-audit-state]"));
if (waiting?.dataset.auditState) {
  const url = waiting.dataset.auditState;
  window.setTimeout(() => ask(url), PAUSE);
}
