// @ts-check
// Keys of the adjudication page: one case is the current one, and a key decides it.
// <ol data-cases><li data-case><a data-open></a><form><input name="words">
// <button name="action" value="keep">…</form></li></ol> <form data-undo-form>…</form>

import { register } from "./keys.js";

const cases = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-case]")]);
let at = 0;

/** @param {number} place @param {boolean} [focus] */
function show(place, focus = true) {
  if (!cases.length) return;
  at = Math.min(Math.max(place, 0), cases.length - 1);
  cases.forEach((one, index) => {
    if (index === at) one.setAttribute("aria-current", "true");
    else one.removeAttribute("aria-current");
  });
  if (focus) {
    cases[at].focus({ preventScroll: true });
    cases[at].scrollIntoView({ block: "nearest" });
  }
}

function words() {
  return /** @type {HTMLInputElement | null} */ (cases[at]?.querySelector("[name=words]") ?? null);
}

/**
 * Press a button of the current case. Without words the browser asks for them in the field.
 * @param {string} action
 */
function settle(action) {
  const button = cases[at]?.querySelector(`button[value=${action}]`);
  if (button instanceof HTMLButtonElement) button.form?.requestSubmit(button);
}

function open() {
  const link = cases[at]?.querySelector("[data-open]");
  if (link instanceof HTMLAnchorElement) link.click();
}

function undo() {
  const form = document.querySelector("[data-undo-form]");
  if (form instanceof HTMLFormElement) form.requestSubmit();
}

for (const [index, one] of cases.entries()) {
  one.addEventListener("focusin", () => show(index, false));
  // A decision is sent once, also where somebody presses twice.
  one.querySelector("form")?.addEventListener("submit", (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}

// Enter in the field would press the first button, and keep an item that nobody decided on.
document.addEventListener("keydown", (event) => {
  const field = event.target instanceof HTMLInputElement && event.target.name === "words";
  if (field && event.key === "Enter") {
    event.preventDefault();
    /** @type {HTMLInputElement} */ (event.target).blur();
    cases[at]?.focus({ preventScroll: true });
  }
});

const group = "Decide";
register([
  { group, keys: ["KeyK"], label: "keep", run: () => settle("keep") },
  { group, keys: ["KeyX"], label: "drop", run: () => settle("drop") },
  { group, keys: ["KeyR"], label: "return to the readers with a question", run: () => settle("return") },
  { group, keys: ["KeyC"], label: "write the reason or question; Enter leaves it", run: () => words()?.focus() },
  { group, keys: ["KeyZ"], label: "take the last decision back", run: undo },
  { group: "Elsewhere", keys: ["KeyN"], label: "next item", repeat: true, run: () => show(at + 1) },
  { group: "Elsewhere", keys: ["KeyJ"], label: "previous item", repeat: true, run: () => show(at - 1) },
  { group: "Elsewhere", keys: ["KeyO"], label: "open the item in review", run: open },
]);

const named = cases.findIndex((one) => `#${one.id}` === window.location.hash);
show(Math.max(named, 0), named >= 0);
