// @ts-check
// What is selected of the rows found, and the bar that does something to it.

import { register } from "../keys.js";

/**
 * @param {HTMLFormElement} bar
 * @param {HTMLElement[]} rows
 * @param {{at: () => number, show: (place: number) => void, press: (selector: string) => void}} list
 */
export function setUpSelection(bar, rows, { at, show, press }) {
  const boxes = rows.map((row) => /** @type {HTMLInputElement} */ (row.querySelector("[name=item]")));
  const all = /** @type {HTMLInputElement} */ (bar.querySelector("[data-all]"));
  const told = /** @type {HTMLElement} */ (bar.querySelector("[data-picked]"));
  const kind = /** @type {HTMLSelectElement} */ (bar.querySelector("[data-kind]"));
  let from = 0; // where a range begins

  function tell() {
    const count = boxes.filter((box) => box.checked).length;
    const found = bar.dataset.found;
    if (all.value) told.textContent = found ? `All ${Number(found).toLocaleString("en")} selected` : "All that match selected";
    else told.textContent = count ? `${count} selected` : "Nothing selected";
    rows.forEach((row, index) => row.setAttribute("aria-selected", String(boxes[index].checked)));
    bar.toggleAttribute("data-any", Boolean(all.value) || count > 0);
  }

  /** @param {boolean} checked @param {string} [everything] */
  function pickPage(checked, everything = "") {
    for (const box of boxes) box.checked = checked;
    all.value = everything;
    tell();
  }

  /** @param {number} place */
  function toggle(place) {
    if (place < 0) return show(0);
    boxes[place].checked = !boxes[place].checked;
    from = place;
    all.value = "";
    tell();
  }

  /** @param {number} place @param {boolean} [checked] */
  function range(place, checked = true) {
    const [low, high] = [Math.min(from, place), Math.max(from, place)];
    for (let index = low; index <= high; index += 1) boxes[index].checked = checked;
    all.value = "";
    tell();
  }

  /** @param {number} step */
  function extend(step) {
    show(at() + step);
    range(at());
  }

  function needed() {
    for (const field of bar.querySelectorAll("[data-for]")) {
      const wanted = field.getAttribute("data-for") === kind.value;
      /** @type {HTMLElement} */ (field).hidden = !wanted;
      /** @type {HTMLInputElement} */ (field.querySelector("input, select")).required = wanted;
    }
  }

  boxes.forEach((box, index) => box.addEventListener("click", (event) => {
    if (event.shiftKey) range(index, box.checked);
    from = index;
    all.value = "";
    tell();
  }));
  bar.querySelector("[data-pick-page]")?.addEventListener("click", () => pickPage(true));
  bar.querySelector("[data-pick-all]")?.addEventListener("click", () => pickPage(true, "yes"));
  bar.querySelector("[data-pick-none]")?.addEventListener("click", () => pickPage(false));
  kind.addEventListener("change", needed);
  const group = "Decide";
  register([
    { group, keys: ["KeyX"], label: "select the row", run: () => toggle(at()) },
    { group, keys: ["Shift+KeyX"], label: "select up to the row", run: () => range(Math.max(at(), 0)) },
    { group, keys: ["Shift+ArrowDown"], label: "select downwards", repeat: true, run: () => extend(1) },
    { group, keys: ["Shift+ArrowUp"], label: "select upwards", repeat: true, run: () => extend(-1) },
    { group, keys: ["KeyA"], label: "select the page", run: () => press("[data-pick-page]") },
    { group, keys: ["Shift+KeyA"], label: "select all that match", run: () => press("[data-pick-all]") },
    { group, keys: ["KeyD"], label: "do something to what is selected", run: () => kind.focus() },
  ]);
  needed();
  tell();
}
