// @ts-check
// The page that finds items: a current row, what is selected, and the keys of both.
// <form data-find> <table data-rows><tr data-row><input type=checkbox name=item><a data-open>
// <form data-bulk><strong data-picked><button data-pick-page|all|none><select data-kind>
//   <div data-for="category">

import { register } from "../keys.js";
import { setUpSelection } from "./selection.js";

const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-row]")]);
let at = -1;

/** @param {number} place */
function show(place) {
  if (!rows.length) return;
  at = Math.min(Math.max(place, 0), rows.length - 1);
  rows.forEach((row, index) => row.toggleAttribute("data-current", index === at));
  const link = /** @type {HTMLElement | null} */ (rows[at].querySelector("[data-open]"));
  link?.focus({ preventScroll: true });
  rows[at].scrollIntoView({ block: "nearest" });
}

for (const [index, row] of rows.entries()) {
  row.addEventListener("focusin", () => {
    at = index;
    rows.forEach((one) => one.toggleAttribute("data-current", one === row));
  });
}

/** @param {string} selector */
function press(selector) {
  const found = document.querySelector(selector);
  if (found instanceof HTMLFormElement) found.requestSubmit();
  else if (found instanceof HTMLElement) found.click();
}

function keep() {
  const menu = document.querySelector("[data-save-menu]");
  if (!(menu instanceof HTMLDetailsElement)) return;
  menu.open = true;
  /** @type {HTMLElement} */ (menu.querySelector("input[name=name]")).focus();
}

const group = "Elsewhere";
register([
  { group, keys: ["KeyN", "ArrowDown"], label: "next row", repeat: true, run: () => show(at + 1) },
  { group, keys: ["KeyJ", "ArrowUp"], label: "previous row", repeat: true, run: () => show(at - 1) },
  { group, keys: ["Slash"], label: "write what to find", run: () => /** @type {HTMLElement} */ (document.querySelector("[data-find] input")).focus() },
  { group, keys: ["KeyY"], label: "keep this search under a name", run: keep },
  { group, keys: ["BracketRight"], label: "next page", run: () => press('a[rel="next"]') },
  { group, keys: ["BracketLeft"], label: "previous page", run: () => press('a[rel="prev"]') },
]);

const bar = document.querySelector("[data-bulk]");
if (bar instanceof HTMLFormElement) setUpSelection(bar, rows, { at: () => at, show, press });
if (document.querySelector("[data-undo-form]")) {
  register([{ group: "Decide", keys: ["KeyZ"], label: "take the last bulk action back", run: () => press("[data-undo-form]") }]);
}
