// @ts-check
// A run's page, live: polls `progress.json` and puts the server's fragments in place.
// HTML: <main data-progress-url="…" data-live-run> around elements with data-fragment="name".

import { register } from "../keys.js";
import { setUpDrawer } from "./drawer.js";
import { delayAfter, startPolling } from "./polling.js";
import { replace } from "./fragments.js";

const page = document.querySelector("main[data-progress-url]");
const filters = document.querySelector("form[data-filters]");

if (filters instanceof HTMLFormElement) {
  filters.addEventListener("change", (event) => {
    if (event.target instanceof HTMLSelectElement) filters.requestSubmit();
  });
}

const drawer = document.getElementById("answer-drawer");
const items =
  drawer instanceof HTMLDialogElement && page instanceof HTMLElement ? setUpDrawer(drawer, page) : null;

/** @param {string} selector */
function press(selector) {
  const found = document.querySelector(selector);
  if (found instanceof HTMLElement) found.click();
}

const group = "Items";
if (filters instanceof HTMLFormElement) register([
  { group, keys: ["BracketRight"], label: "next page", run: () => press('#items a[rel="next"]') },
  { group, keys: ["BracketLeft"], label: "first page", run: () => press('#items a[rel="first"]') },
  { group, keys: ["Slash"], label: "search the items", run: () => filters.querySelector("input")?.focus() },
]);

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
  items?.mark();
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
