// @ts-check
/**
 * The board: a still with the box on it, standing where the player stands. It is drawn in CSS
 * pixels inside the picture's content rectangle, again at every change of size, so letterboxing,
 * browser zoom and full screen keep the box on the picture and the handles at one size.
 */
import { fit, place } from "../player/crop.js";
import { part, set, svg } from "../stage/dom.js";
import { pointOf, same, toPixels } from "./geometry.js";
import { handles } from "./handles.js";

/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./geometry.js").Frame} Frame */

/**
 * @typedef {object} BoardHost
 * @property {() => Frame} frame @property {() => Box} box
 * @property {Box} saved the box that stands, drawn dashed @property {string} savedName
 * @property {() => Box | null} proposal a suggested box, drawn dashed, until it is applied
 * @property {(box: Box, mark: string) => void} change
 */

export class Board {
  #rect = { x: 0, y: 0, w: 1, h: 1 };
  #shapes = {
    ground: svg("g", { class: "schematic" }),
    scrim: svg("path", { class: "roi-scrim", "fill-rule": "evenodd" }),
    old: svg("rect", { class: "roi-old" }),
    oldName: svg("text", { class: "roi-old-name" }),
    edge: svg("rect", { class: "roi-edge" }),
    proposal: svg("rect", { class: "roi-proposal", rx: 2 }),
    proposalName: svg("text", { class: "roi-proposal-name" }),
    plate: svg("rect", { class: "roi-plate", height: 20, rx: 3 }),
    label: svg("text", { class: "roi-label" }),
  };
  #noStill = "";

  /** @param {HTMLElement} root @param {BoardHost} host */
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.picture = part(root, "[data-still]");
    const overlay = part(root, "[data-overlay]");
    this.grips = handles({ ...host, rect: () => this.#rect, overlay });
    overlay.replaceChildren(...Object.values(this.#shapes), ...this.grips.nodes);
    new ResizeObserver(() => this.measure()).observe(root);
  }

  measure() {
    const { width, height } = getComputedStyle(this.root), { w, h } = this.host.frame();
    this.#rect = fit(Number.parseFloat(width), Number.parseFloat(height), w / h);
    place(this.picture, this.#rect);
    if (this.#noStill) this.schematic(this.#noStill);
    this.draw();
  }

  draw() {
    const box = inCss(this.host.box(), this.#rect), frame = this.host.frame();
    set(this.#shapes.scrim, { d: `${outline(this.#rect)} ${outline(box)}` });
    set(this.#shapes.edge, size(box));
    this.#drawOther(this.#shapes.old, this.#shapes.oldName, this.host.saved, this.host.savedName, false);
    this.#drawOther(this.#shapes.proposal, this.#shapes.proposalName, this.host.proposal(), "suggested", true);
    this.#drawLabel(box, frame);
    this.grips.draw(box, (handle) => {
      const point = pointOf(this.host.box(), handle);
      return { x: Math.round(point.x * frame.w), y: Math.round(point.y * frame.h) };
    });
  }

  /** Another box than the one that is drawn, with its name. @param {SVGElement} rect @param {SVGElement} label @param {Box | null} other @param {string} name @param {boolean} below where the name stands */
  #drawOther(rect, label, other, name, below) {
    const seen = other !== null && !same(this.host.box(), other);
    for (const shape of [rect, label]) set(shape, { visibility: seen ? "visible" : "hidden" });
    if (!seen) return;
    const box = inCss(other, this.#rect);
    set(rect, size(box));
    const under = Math.min(this.#rect.y + this.#rect.h - 5, box.y + box.h + 15);
    set(label, { x: box.x + 6, y: below ? under : box.y + 15 });
    label.textContent = name;
  }

  /** @param {Box} box CSS pixels @param {Frame} frame */
  #drawLabel(box, frame) {
    const px = toPixels(this.host.box(), frame), text = `${px.w} × ${px.h} px`;
    const y = box.y - this.#rect.y > 28 ? box.y - 30 : box.y + 18;
    set(this.#shapes.plate, { x: box.x + 14, y, width: text.length * 7.2 + 12 });
    set(this.#shapes.label, { x: box.x + 20, y: y + 14 });
    this.#shapes.label.textContent = text;
  }

  /** A still is being taken: what is shown is of another time. @param {boolean} on */
  waiting(on) {
    this.root.toggleAttribute("data-waiting", on);
    set(this.root, { "aria-busy": String(on) });
  }

  /** @param {string} url */
  still(url) {
    this.#noStill = "";
    this.#shapes.ground.replaceChildren();
    this.picture.hidden = false;
    set(this.picture, { src: url });
  }

  /** @param {string} reason why there is no still */
  schematic(reason) {
    this.#noStill = reason;
    this.picture.hidden = true;
    this.picture.removeAttribute("src");
    this.#shapes.ground.replaceChildren(...schematic(this.#rect, reason));
  }
}

/** @param {Box} box fractions @param {Box} rect @returns {Box} CSS pixels of the board */
const inCss = (box, rect) => ({
  x: rect.x + box.x * rect.w, y: rect.y + box.y * rect.h, w: box.w * rect.w, h: box.h * rect.h,
});
const size = (/** @type {Box} */ { x, y, w, h }) => ({ x, y, width: w, height: h });
const outline = (/** @type {Box} */ { x, y, w, h }) => `M${x} ${y}h${w}v${h}h${-w}Z`;

/** An empty frame of the same shape, in ninths, and why it is empty. @param {Box} rect @param {string} reason */
function schematic(rect, reason) {
  const lines = [1, 2].flatMap((n) => [
    svg("line", { x1: rect.x + (rect.w * n) / 3, x2: rect.x + (rect.w * n) / 3, y1: rect.y, y2: rect.y + rect.h }),
    svg("line", { x1: rect.x, x2: rect.x + rect.w, y1: rect.y + (rect.h * n) / 3, y2: rect.y + (rect.h * n) / 3 }),
  ]);
  return [svg("rect", size(rect)), ...lines,
    svg("text", { x: rect.x + 12, y: rect.y + rect.h - 14 }, `No still: ${reason}`)];
}
