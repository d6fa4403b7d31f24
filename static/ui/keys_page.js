// @ts-check
// The page on which a reader moves keys: a press in a field names the key, two keys in one place
// are told at once. The server checks the same again.

import { caps, nameOf } from "./keys.js";

const LEFT_ALONE = ["Tab", "Shift+Tab", "Enter", "Escape"];
const MODIFIER = /^(Ctrl|Alt|Shift|Meta|OS)/;

const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-keys-form]"));
const fields = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("input[data-usual]")]);
const places = new RegExp(`^(?:${form.dataset.places})$`);
const usual = (/** @type {HTMLInputElement} */ field) => field.dataset.usual ?? "";
const place = (/** @type {HTMLInputElement} */ field) => field.value.trim() || usual(field);

/** @param {HTMLInputElement} field */
function fault(field) {
  if (!places.test(place(field))) return form.dataset.fixed ?? "";
  const other = fields.find((one) => one !== field && place(one) === place(field));
  return other ? `also for: ${other.dataset.label}` : "";
}

function show() {
  let faults = 0;
  for (const field of fields) {
    const row = /** @type {HTMLElement} */ (field.closest("tr"));
    const text = fault(field);
    const cap = /** @type {HTMLElement} */ (row.querySelector("[data-cap]"));
    cap.textContent = caps(place(field)).join(" ");
    cap.toggleAttribute("data-changed", place(field) !== usual(field));
    const said = /** @type {HTMLElement} */ (row.querySelector("[data-fault]"));
    if (said.textContent !== text) said.textContent = text;
    field.setAttribute("aria-invalid", String(Boolean(text)));
    faults += Number(Boolean(text));
  }
  /** @type {HTMLButtonElement} */ (form.querySelector("[data-save]")).disabled = faults > 0;
  const sum = /** @type {HTMLElement} */ (form.querySelector("[data-sum]"));
  sum.textContent = faults ? `${faults} keys need another place` : "";
}

form.addEventListener("keydown", (event) => {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || !field.dataset.usual) return;
  const name = nameOf(event);
  if (LEFT_ALONE.includes(name) || MODIFIER.test(event.code)) return;
  event.preventDefault();
  field.value = name === "Backspace" || name === "Delete" ? usual(field) : name;
  show();
});
form.addEventListener("input", show);
form.addEventListener("click", (event) => {
  const button = /** @type {Element} */ (event.target).closest("[data-back]");
  const field = fields.find((one) => usual(one) === button?.getAttribute("data-back"));
  if (!field) return;
  field.value = usual(field);
  field.focus();
  show();
});
show();
