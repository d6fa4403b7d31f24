// @ts-check
/**
 * What there is to say about a box before it is saved: the same words as the server's
 * (annotation/domain/roi_checks.py; a test holds the two together), and what the stills show. Pure.
 */
import { cut, toPixels } from "./geometry.js";

const SMALL = 224, LINES = 720, SLIM = 4, BIGGER = 1.6, CUT = 0.01;

/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./geometry.js").Frame} Frame */
/** @typedef {{good: boolean, text: string}} Check */
/** @typedef {{roi: Box | null, scan: Box | null}} Seen what a worker found: the box it suggests, the moving picture */

const warn = (/** @type {string} */ text) => ({ good: false, text });

/** @param {Box} box @param {Frame} frame @param {Seen | null} seen @returns {Check[]} */
export function checksOf(box, frame, seen) {
  const [right, bottom] = [box.x + box.w, box.y + box.h].map((end) => (Math.floor(1000 * end + 0.5) / 1000).toFixed(3));
  return [
    { good: true, text: `Inside the frame, x + w = ${right}, y + h = ${bottom}` },
    ...edges(box, frame), ...sizes(box, frame), ...beside(box, frame, seen),
  ];
}

/** What the stills say, while no worker has looked at what moves. @param {{crossing: number, looked: number}} film @returns {Check[]} */
export function filmChecks({ crossing, looked }) {
  if (!looked) return [];
  return crossing
    ? [warn(`The picture goes on beyond the box in ${crossing} of ${looked} stills: move that edge out`)]
    : [{ good: true, text: `The picture ends inside the box in ${looked} of ${looked} stills` }];
}

/** @param {Box} box @param {Frame} frame */
function edges(box, frame) {
  const px = toPixels(box, frame);
  const sides = { left: px.x <= 0, top: px.y <= 0, right: px.x + px.w >= frame.w, bottom: px.y + px.h >= frame.h };
  const touched = Object.entries(sides).filter(([, is]) => is).map(([name]) => name);
  if (touched.length === 4) return [warn("The whole frame: nothing is cut away. Draw the box around the scan")];
  return touched.length
    ? [warn(`Touches the frame's edge (${touched.join(", ")}): move it in, unless the scan ends there`)] : [];
}

/** @param {Box} box @param {Frame} frame */
function sizes(box, frame) {
  const px = toPixels(box, frame), even = cut(box, frame), list = [];
  const least = Math.min(px.w, px.h), most = Math.max(px.w, px.h);
  if (px.w !== even.w || px.h !== even.h) {
    list.push(warn(`Odd size: clips are cut to even pixels, ${even.w} × ${even.h}. Nothing to do`));
  }
  if (least < SMALL) list.push(warn(`A side under ${SMALL} px: a model sees little. Widen it if the scan is larger`));
  if (most > SLIM * least) list.push(warn("More than 4 times as long as wide: models squeeze it. Take in more of the scan"));
  if (even.h > LINES) list.push(warn(`Clips are scaled down to ${LINES} lines: a box closer to the scan keeps detail`));
  return list;
}

/** @param {Box} box @param {Frame} frame @param {Seen | null} seen */
function beside(box, frame, seen) {
  const list = [];
  if (seen?.scan) list.push(apart(box, seen.scan) ? warn("Leaves the moving picture out: look at the suggestion") : cuts(box, seen.scan, frame));
  const times = seen?.roi ? (box.w * box.h) / (seen.roi.w * seen.roi.h) : 0;
  if (times > BIGGER) list.push(warn(`${(Math.floor(10 * times + 0.5) / 10).toFixed(1)} times the area of the suggestion: draw it closer to the scan`));
  return list;
}

/** @param {Box} a @param {Box} b */
const apart = (a, b) => Math.min(a.x + a.w, b.x + b.w) <= Math.max(a.x, b.x) || Math.min(a.y + a.h, b.y + b.h) <= Math.max(a.y, b.y);

/** @param {Box} box @param {Box} scan @param {Frame} frame @returns {Check} */
function cuts(box, scan, frame) {
  const beyond = /** @type {[string, number, number][]} */ ([
    ["left", box.x - scan.x, frame.w], ["top", box.y - scan.y, frame.h],
    ["right", scan.x + scan.w - box.x - box.w, frame.w], ["bottom", scan.y + scan.h - box.y - box.h, frame.h]]);
  const moves = beyond.filter(([, by]) => by > CUT).map(([name, by, side]) => `${name} edge out by ${Math.ceil(by * side)} px`);
  return moves.length ? warn(`Cuts the moving picture: move the ${moves.join(", the ")}`)
    : { good: true, text: "The whole moving picture is inside" };
}
