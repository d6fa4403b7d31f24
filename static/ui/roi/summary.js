// @ts-check
/** What the panel says about the box: preview, size, checks, whether there is something to save. */
import { html, icon, part, set } from "../stage/dom.js";
import { checksOf, filmChecks } from "./checks.js";
import { cut, toPixels } from "./geometry.js";
import { drawCrop } from "./picture.js";

/**
 * @typedef {object} Summary
 * @property {import("./geometry.js").Box} box @property {import("./geometry.js").Frame} frame
 * @property {{crossing: number, looked: number}} film
 * @property {import("./checks.js").Seen | null} seen
 * @property {boolean} dirty @property {boolean} canUndo @property {boolean} canSave
 * @property {string} saveLabel
 */

/** @param {HTMLElement} root @param {Summary} summary */
export function showSummary(root, summary) {
  const { box, frame, film, seen } = summary;
  const px = toPixels(box, frame), even = cut(box, frame), picture = part(root, "[data-still]");
  part(root, "[data-size]").textContent = `${px.w} × ${px.h} px`;
  part(root, "[data-shape]").textContent =
    `${(box.w * box.h * 100).toFixed(1)} % of the frame, ${(px.w / px.h).toFixed(2)} : 1`;
  part(root, "[data-cut]").textContent = `${even.w} × ${even.h} px`;
  drawCrop(part(root, "[data-crop]"), picture.hidden ? null : picture, even, frame);
  const checks = [...checksOf(box, frame, seen), ...(seen?.scan ? [] : filmChecks(film))];
  part(root, "[data-checks]").replaceChildren(...checks.map(({ good, text }) =>
    html("li", { class: "row" }, html("span", { class: good ? "good" : "warn" }, icon(good ? "tick" : "alert")), text)));
  part(root, "[data-film-said]").textContent = film.looked
    ? `Pick one to edit there. ${film.crossing} of ${film.looked} ${film.crossing === 1 ? "touches" : "touch"} the picture edge.`
    : "Pick one to edit there.";
  part(root, "[data-dirty]").hidden = !summary.dirty;
  set(part(root, "[data-undo]"), { disabled: !summary.canUndo });
  set(part(root, "[data-save]"), { disabled: !summary.canSave });
  part(root, "[data-save-label]").textContent = summary.saveLabel;
}
