// @ts-check
/** The number fields: share of the frame and pixels, both ways. */
import { part, set } from "../stage/dom.js";
import { toPixels, typed } from "./geometry.js";

/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./geometry.js").Frame} Frame */
/** @typedef {keyof Box} Name */

const NAMES = /** @type {Name[]} */ (["x", "y", "w", "h"]);
const sideOf = (/** @type {Name} */ name, /** @type {Frame} */ frame) =>
  name === "x" || name === "w" ? frame.w : frame.h;

/** A typed number; a comma is a decimal point; null where it is none. @param {string} text */
export function readNumber(text) {
  const clean = text.trim().replace(",", ".");
  return /^\d*\.?\d+$|^\d+\.$/.test(clean) ? Number(clean) : null;
}

/**
 * @param {HTMLElement} root
 * @param {{frame: () => Frame, box: () => Box, change: (box: Box, mark: string) => void}} host
 */
export function setUpFields(root, host) {
  const said = part(root, "[data-field-error]");
  for (const input of root.querySelectorAll("input[data-name]")) {
    if (!(input instanceof HTMLInputElement)) continue;
    const name = /** @type {Name} */ (input.dataset.name);
    const inPixels = input.dataset.unit === "px";
    input.addEventListener("change", () => {
      const number = readNumber(input.value);
      const most = inPixels ? sideOf(name, host.frame()) : 1;
      const wrong = number === null || number > most;
      set(input, { "aria-invalid": wrong && "true" });
      said.textContent = wrong ? `${name} must be a number from 0 to ${most}.` : "";
      if (wrong) return;
      host.change(typed(host.box(), name, inPixels ? number / sideOf(name, host.frame()) : number), "");
      show();
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.ctrlKey) input.dispatchEvent(new Event("change"));
    });
  }
  for (const button of root.querySelectorAll("button[data-by]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    const name = /** @type {Name} */ (button.dataset.name);
    button.addEventListener("click", () => {
      const side = sideOf(name, host.frame()), px = toPixels(host.box(), host.frame())[name];
      host.change(typed(host.box(), name, (px + Number(button.dataset.by)) / side), `field ${name}`);
    });
  }
  function show() {
    const box = host.box(), px = toPixels(box, host.frame());
    for (const name of NAMES) {
      write(root, name, "share", box[name].toFixed(4));
      write(root, name, "px", String(px[name]));
    }
  }
  return show;
}

/** @param {HTMLElement} root @param {Name} name @param {string} unit @param {string} text */
function write(root, name, unit, text) {
  const input = part(root, `input[data-name="${name}"][data-unit="${unit}"]`);
  if (document.activeElement === input && input.getAttribute("aria-invalid")) return;
  if (input.value !== text) input.value = text;
  set(input, { "aria-invalid": false });
}
