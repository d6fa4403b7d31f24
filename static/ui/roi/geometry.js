// @ts-check
/**
 * The geometry of a box in a frame: pure. A box is in fractions of the frame (that is what is
 * stored), a frame in whole pixels of the source. What is drawn is rounded to whole pixels; an
 * edge that nobody touched keeps its exact fraction.
 */

/** @typedef {{x: number, y: number, w: number, h: number}} Box */
/** @typedef {{w: number, h: number}} Frame */
/** @typedef {"nw"|"n"|"ne"|"e"|"se"|"s"|"sw"|"w"} Handle */

/** In the order in which Tab walks them. @type {Handle[]} */
export const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];
export const LEAST = 16; // pixels: encoders refuse less

const clamp = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) =>
  Math.min(Math.max(value, low), high);
const onPixel = (/** @type {number} */ share, /** @type {number} */ side) => Math.round(share * side) / side;

/** Which edges a handle moves: -1 the first, 1 the last, 0 none. @param {Handle} handle */
export const edgesOf = (handle) => ({
  x: handle.includes("w") ? -1 : handle.includes("e") ? 1 : 0,
  y: handle.includes("n") ? -1 : handle.includes("s") ? 1 : 0,
});

/** Move the whole box by whole pixels; it stays inside and keeps its size, also as drawn. @param {Box} box @param {number} dx fraction @param {number} dy fraction @param {Frame} frame @returns {Box} */
export function move(box, dx, dy, frame) {
  return {
    ...box,
    x: dx ? clamp(box.x + onPixel(dx, frame.w), 0, Math.max(0, 1 - box.w)) : box.x,
    y: dy ? clamp(box.y + onPixel(dy, frame.h), 0, Math.max(0, 1 - box.h)) : box.y,
  };
}

/** Move the edges of one handle; the others stay. @param {Box} box @param {Handle} handle @param {number} dx @param {number} dy @param {Frame} frame @returns {Box} */
export function resize(box, handle, dx, dy, frame) {
  const { x, y } = edgesOf(handle);
  const across = moveEdge(box.x, box.w, x, dx, frame.w);
  const down = moveEdge(box.y, box.h, y, dy, frame.h);
  return { x: across.from, y: down.from, w: across.length, h: down.length };
}

/** @param {number} from @param {number} length @param {number} edge @param {number} by @param {number} side */
function moveEdge(from, length, edge, by, side) {
  const least = Math.min(LEAST / side, length), to = from + length;
  if (!edge || !by) return { from, length };
  if (edge > 0) return { from, length: clamp(onPixel(to + by, side), from + least, 1) - from };
  const first = clamp(onPixel(from + by, side), 0, to - least);
  return { from: first, length: to - first };
}

/** @param {Box} box @param {Frame} frame @returns {Box} whole pixels */
export function toPixels(box, frame) {
  const x = Math.round(box.x * frame.w), y = Math.round(box.y * frame.h);
  return {
    x, y,
    w: Math.round((box.x + box.w) * frame.w) - x,
    h: Math.round((box.y + box.h) * frame.h) - y,
  };
}

/**
 * A number typed into a field. Position moves the box, size moves its last edge.
 * @param {Box} box @param {keyof Box} name @param {number} value fraction @returns {Box}
 */
export function typed(box, name, value) {
  if (name === "x" || name === "y") {
    const size = name === "x" ? box.w : box.h;
    return { ...box, [name]: clamp(value, 0, Math.max(0, 1 - size)) };
  }
  const from = name === "w" ? box.x : box.y;
  return { ...box, [name]: clamp(value, 0.01, 1 - from) };
}

/** Where a handle stands, fractions of the frame. @param {Box} box @param {Handle} handle */
export function pointOf(box, handle) {
  const { x, y } = edgesOf(handle);
  return { x: box.x + (box.w * (x + 1)) / 2, y: box.y + (box.h * (y + 1)) / 2 };
}

/** Equal but for the rounding of sums. @param {Box} a @param {Box} b */
export const same = (a, b) =>
  Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y), Math.abs(a.w - b.w), Math.abs(a.h - b.h)) < 1e-9;

/** To the even number, as the server rounds. @param {number} value */
function halfEven(value) {
  const floor = Math.floor(value), rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** The even pixels that a clip is cut to, as the server cuts. @param {Box} box @param {Frame} frame @returns {Box} */
export function cut(box, frame) {
  const across = evenSide(box.x, box.w, frame.w), down = evenSide(box.y, box.h, frame.h);
  return { x: across.from, y: down.from, w: across.length, h: down.length };
}

/** @param {number} offset @param {number} share @param {number} whole */
function evenSide(offset, share, whole) {
  let from = 2 * halfEven((offset * whole) / 2);
  let to = 2 * halfEven((Math.min(1, offset + share) * whole) / 2);
  to = Math.min(whole - (whole % 2), Math.max(to, from + LEAST));
  from = Math.max(0, Math.min(from, to - LEAST));
  return { from, length: to - from };
}
