// @ts-check
/** The eight handles and the inside of the box: dragging, and arrows on a focused handle. */
import { set, svg } from "../stage/dom.js";
import { edgesOf, HANDLES, move, resize } from "./geometry.js";

/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./geometry.js").Handle} Handle */
/** @typedef {{frame: () => {w: number, h: number}, box: () => Box, change: (box: Box, mark: string) => void, rect: () => Box, overlay: SVGElement}} Host */

const NAMES = { nw: "Top left", n: "Top", ne: "Top right", e: "Right", se: "Bottom right", s: "Bottom", sw: "Bottom left", w: "Left" };
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const OWN = Object.keys(ARROWS).flatMap((key) => [key, `Alt+${key}`]).join(" ");
const HIT = 44, TARGET = 24, GRIP = 12;

/** @param {Host} host */
export function handles(host) {
  const inside = svg("rect", { class: "roi-inside", "data-inside": true });
  dragging(inside, host, (box, dx, dy) => move(box, dx, dy, host.frame()));
  const grips = HANDLES.map((handle) => grip(handle, host));
  return {
    nodes: [inside, ...grips],
    /** @param {Box} box CSS pixels @param {(handle: Handle) => {x: number, y: number}} pixels */
    draw: (box, pixels) => {
      set(inside, { x: box.x, y: box.y, width: box.w, height: box.h });
      HANDLES.forEach((handle, n) => {
        const { x, y } = edgesOf(handle), at = pixels(handle), frame = host.rect();
        const cx = apart(box.x, box.w, x, frame.x, frame.w), cy = apart(box.y, box.h, y, frame.y, frame.h);
        set(grips[n], { transform: `translate(${cx} ${cy})`, "aria-valuenow": y && !x ? at.y : at.x,
          "aria-valuetext": `${at.x}, ${at.y} pixels` });
      });
    },
  };
}

/** Where a handle stands on one axis: on its edge, or beside it where the box is too small for three in a row. @param {number} from @param {number} length @param {number} edge @param {number} first @param {number} whole */
function apart(from, length, edge, first, whole) {
  const beside = Math.max(0, (3 * TARGET - length) / 2);
  const at = from + (length * (edge + 1)) / 2 + edge * beside;
  return Math.min(Math.max(at, first), first + whole);
}

/** @param {Handle} handle @param {Host} host */
function grip(handle, host) {
  const square = (/** @type {string} */ name, /** @type {number} */ side, /** @type {number} */ rx) =>
    svg("rect", { class: name, x: -side / 2, y: -side / 2, width: side, height: side, rx });
  const node = svg("g", { class: `roi-grip ${handle}`, role: "slider", tabindex: 0, "data-handle": handle,
    "aria-label": `${NAMES[handle]} handle`, "data-own-keys": OWN },
  square("roi-hit", HIT, 0), square("roi-target", TARGET, 6), square("roi-handle", GRIP, 3));
  dragging(node, host, (box, dx, dy) => resize(box, handle, dx, dy, host.frame()));
  node.addEventListener("keydown", (event) => {
    const arrow = ARROWS[/** @type {keyof ARROWS} */ (event.key)];
    if (!arrow || event.shiftKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const px = event.altKey ? 10 : 1, { w, h } = host.frame();
    host.change(resize(host.box(), handle, (arrow[0] * px) / w, (arrow[1] * px) / h, host.frame()), `keys ${handle}`);
  });
  return node;
}

/** Where the pointer is, fractions of the picture as it stands now. @param {Host} host @param {PointerEvent} event */
function pointAt(host, event) {
  const { left, top, width } = host.overlay.getBoundingClientRect(), rect = host.rect();
  const zoom = width / Number.parseFloat(getComputedStyle(host.overlay).width); // CSS zoom of the page
  return { x: ((event.clientX - left) / zoom - rect.x) / rect.w, y: ((event.clientY - top) / zoom - rect.y) / rect.h };
}

/**
 * Each move is reckoned from where on the picture the drag began, so nothing adds up and the
 * pointer stays on the grip, also after it was beyond the frame or the window changed its size.
 * @param {SVGElement} node @param {Host} host @param {(box: Box, dx: number, dy: number) => Box} apply
 */
function dragging(node, host, apply) {
  node.addEventListener("pointerdown", (down) => {
    if (down.button !== 0) return;
    down.preventDefault();
    if (node.hasAttribute("tabindex")) node.focus({ preventScroll: true });
    const from = host.box(), began = pointAt(host, down), mark = `drag ${down.timeStamp}`, off = new AbortController();
    node.setPointerCapture(down.pointerId);
    node.addEventListener("pointermove", (event) => {
      const { x, y } = pointAt(host, event);
      host.change(apply(from, x - began.x, y - began.y), mark);
    }, { signal: off.signal });
    for (const name of ["pointerup", "pointercancel"]) {
      node.addEventListener(name, () => off.abort(), { signal: off.signal });
    }
  });
}
