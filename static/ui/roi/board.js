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
 * @property {(box: Box, mark: string) => void} change
 */

/** @param {HTMLElement} root @param {BoardHost} host */
export function setUpBoard(root, host) {
  const picture = part(root, "[data-still]"), overlay = part(root, "[data-overlay]");
  const shapes = {
    ground: svg("g", { class: "schematic" }),
    scrim: svg("path", { class: "roi-scrim", "fill-rule": "evenodd" }),
    old: svg("rect", { class: "roi-old" }),
    oldName: svg("text", { class: "roi-old-name" }),
    edge: svg("rect", { class: "roi-edge" }),
    plate: svg("rect", { class: "roi-plate", height: 20, rx: 3 }),
    label: svg("text", { class: "roi-label" }),
  };
  let rect = { x: 0, y: 0, w: 1, h: 1 };
  const grips = handles({ ...host, rect: () => rect, overlay });
  overlay.replaceChildren(...Object.values(shapes), ...grips.nodes);
  const measure = () => {
    const { width, height } = root.getBoundingClientRect();
    const { w, h } = host.frame();
    rect = fit(width, height, w / h);
    place(picture, rect);
    draw();
  };
  const draw = () => {
    const box = inCss(host.box(), rect), old = inCss(host.saved, rect), frame = host.frame();
    const px = toPixels(host.box(), frame), moved = !same(host.box(), host.saved);
    set(shapes.scrim, { d: `${outline(rect)} ${outline(box)}` });
    set(shapes.old, { ...size(old), visibility: moved ? "visible" : "hidden" });
    set(shapes.oldName, { x: old.x + 6, y: old.y + 15, visibility: moved ? "visible" : "hidden" });
    shapes.oldName.textContent = host.savedName;
    set(shapes.edge, size(box));
    const text = `${px.w} × ${px.h} px`;
    const above = box.y - rect.y > 28;
    set(shapes.plate, { x: box.x + 14, y: above ? box.y - 30 : box.y + 18, width: text.length * 7.2 + 12 });
    set(shapes.label, { x: box.x + 20, y: above ? box.y - 16 : box.y + 32 });
    shapes.label.textContent = text;
    grips.draw(box, (handle) => {
      const point = pointOf(host.box(), handle);
      return { x: Math.round(point.x * frame.w), y: Math.round(point.y * frame.h) };
    });
  };
  new ResizeObserver(measure).observe(root);
  return {
    draw, measure,
    /** @param {string} url */
    still: (url) => {
      shapes.ground.replaceChildren();
      picture.hidden = false;
      set(picture, { src: url });
    },
    /** @param {string} reason */
    schematic: (reason) => {
      picture.hidden = true;
      picture.removeAttribute("src");
      shapes.ground.replaceChildren(...schematic(rect, reason));
    },
  };
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

