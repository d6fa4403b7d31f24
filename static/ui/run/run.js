// @ts-check
// A run's page, live: polls `progress.json` and puts the server's fragments in place.
// HTML: <main data-progress-url="…" data-live-run> around elements with data-fragment="name".

import { delayAfter, startPolling } from "./polling.js";
import { replace } from "./fragments.js";

const page = document.querySelector("main[data-progress-url]");
const filters = document.querySelector("form[data-filters]");

if (filters instanceof HTMLFormElement) {
  filters.addEventListener("change", (event) => {
    if (event.target instanceof HTMLSelectElement) filters.requestSubmit();
  });
}

document.getElementById("run-cancel")?.addEventListener("submit", (event) => {
  const question = "Cancel this run for good? What was answered is kept.";
  if (!window.confirm(question)) event.preventDefault();
});

/** @param {HTMLElement} main */
async function look(main) {
  const query = new URLSearchParams(location.search);
  query.set("fragments", "1");
  const response = await fetch(`${main.dataset.progressUrl}?${query}`, {
    credentials: "same-origin",
    headers: { Accept: "application/json" },
  });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const data = await response.json();
  replace(main, data.fragments);
  say(main, data);
  return Boolean(data.live);
}

/**
 * @param {HTMLElement} main
 * @param {{state: string, counts: {done: number, failed: number, total: number}}} data
 */
function say(main, data) {
  const status = main.querySelector("[data-said]");
  if (!status || main.dataset.saidState === data.state) return;
  const first = main.dataset.saidState === undefined;
  main.dataset.saidState = data.state;
  if (first) return;
  const { done, failed, total } = data.counts;
  status.textContent = `The run is ${data.state}: ${done} of ${total} done, ${failed} failed.`;
}

if (page instanceof HTMLElement && page.dataset.liveRun !== undefined) {
  startPolling(() => look(page), delayAfter);
}
