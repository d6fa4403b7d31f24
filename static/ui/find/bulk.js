// @ts-check
// The page of one bulk action: waits for a worker, and gives undo its key.
// <section data-bulk-page data-state-url="…"><p data-bulk-progress><progress data-bulk-meter>
// <form data-undo-form>

import { register } from "../keys.js";

const PAUSE = 1500;

/** @param {HTMLElement} page @param {string} url */
async function follow(page, url) {
  try {
    const answer = await fetch(url, { headers: { Accept: "application/json" } });
    const { at_work: atWork, worked, total } = await answer.json();
    if (!atWork) {
      window.location.reload();
      return;
    }
    const meter = page.querySelector("[data-bulk-meter]");
    if (meter instanceof HTMLProgressElement && total) {
      Object.assign(meter, { max: total, value: worked });
    }
    const text = page.querySelector("[data-bulk-progress]");
    if (text && total && worked) text.textContent = `${worked} of ${total} done. You may leave this page.`;
  } catch {
    // No network: the next question may get through.
  }
  window.setTimeout(() => follow(page, url), PAUSE);
}

function undo() {
  const form = document.querySelector("[data-undo-form]");
  if (form instanceof HTMLFormElement) form.requestSubmit();
}

register([{ group: "Decide", keys: ["KeyZ"], label: "take all of it back", run: undo }]);
const page = document.querySelector("[data-bulk-page]");
if (page instanceof HTMLElement && page.dataset.stateUrl) {
  const url = page.dataset.stateUrl;
  window.setTimeout(() => follow(page, url), PAUSE);
}
