// @ts-check
/** What there is to say about a box before it is saved. Pure. */
import { cut, toPixels } from "./geometry.js";

const SMALL = 224; // pixels: the side of the smallest picture that vision models are fed

/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {{good: boolean, text: string}} Check */

/** @param {Box} box @param {import("./geometry.js").Frame} frame @param {{crossing: number, looked: number}} film @returns {Check[]} */
export function checksOf(box, frame, { crossing, looked }) {
  const px = toPixels(box, frame), even = cut(box, frame), list = [];
  const right = (box.x + box.w).toFixed(3), bottom = (box.y + box.h).toFixed(3);
  const sides = touching(px, frame);
  list.push({ good: true, text: `Inside the frame, x + w = ${right}, y + h = ${bottom}` });
  if (sides.length && sides.length < 4) list.push({ good: false, text: `Touches the frame's edge: ${sides.join(", ")}` });
  if (sides.length === 4) list.push({ good: false, text: "The whole frame: nothing is cut away" });
  if (px.w !== even.w || px.h !== even.h) {
    list.push({ good: false, text: `Odd size: clips are cut to even pixels, ${even.w} × ${even.h}` });
  }
  if (Math.min(px.w, px.h) < SMALL) list.push({ good: false, text: `A side under ${SMALL} px: a model sees little` });
  if (looked) {
    list.push(crossing
      ? { good: false, text: `The picture goes on beyond the box in ${crossing} of ${looked} stills` }
      : { good: true, text: `The picture ends inside the box in ${looked} of ${looked} stills` });
  }
  return list;
}

/** @param {Box} px @param {import("./geometry.js").Frame} frame */
function touching(px, frame) {
  const sides = { left: px.x <= 0, top: px.y <= 0, right: px.x + px.w >= frame.w, bottom: px.y + px.h >= frame.h };
  return Object.entries(sides).filter(([, is]) => is).map(([name]) => name);
}
