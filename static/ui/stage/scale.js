// @ts-check
/** Which stretch of time a lane shows, and where on it a time stands. Pure; pixels and seconds. */

/** @typedef {{start: number, end: number}} Span */
/** @typedef {{span: Span, left: number, width: number}} Lane */

const PADDING = 0.36; // share of the window shown before and after it
const LEAST = 4;
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200];

/** The stretch around a window for the zoomed lane. @param {Span} window @param {number} duration @returns {Span} */
export function around(window, duration) {
  const length = window.end - window.start;
  const pad = Math.max(length * PADDING, (LEAST - length) / 2, 0.5);
  const end = Math.max(window.end, Math.min(duration, window.end + pad));
  return { start: Math.max(0, window.start - pad), end };
}

/** @param {Lane} lane @param {number} time */
export const xOf = ({ span, left, width }, time) =>
  left + ((time - span.start) / (span.end - span.start)) * width;

/** @param {Lane} lane @param {number} x */
export const timeAt = ({ span, left, width }, x) =>
  span.start + ((x - left) / width) * (span.end - span.start);

/** A span as a drawn stretch, cut to the lane; null where it lies outside. @param {Lane} lane @param {Span} span */
export function stretch(lane, span) {
  const from = Math.max(lane.left, xOf(lane, span.start));
  const to = Math.min(lane.left + lane.width, xOf(lane, span.end));
  return to > from ? { x: from, width: to - from } : null;
}

/** Ticks of a ruler with at least `room` pixels a label. @param {Lane} lane @param {number} [room] */
export function ticks(lane, room = 64) {
  const perSecond = lane.width / (lane.span.end - lane.span.start);
  const step = STEPS.find((s) => s * perSecond >= room) ?? STEPS[STEPS.length - 1];
  const list = [];
  for (let n = Math.ceil((lane.span.start * 2) / step); (n * step) / 2 <= lane.span.end + 1e-9; n += 1) {
    list.push({ time: (n * step) / 2, major: n % 2 === 0 });
  }
  return { fine: step < 1, list };
}

/**
 * Move one edge of a window; the other one stays where it is. A window that is shorter than
 * `least` already gets no shorter.
 * @param {Span} window @param {"start" | "end"} edge @param {number} time
 * @param {{duration: number, least: number}} limits @returns {Span}
 */
export function moveEdge(window, edge, time, { duration, least }) {
  const at = Math.round(time * 100) / 100, shortest = Math.min(least, window.end - window.start);
  if (edge === "start") return { ...window, start: Math.min(Math.max(0, at), window.end - shortest) };
  return { ...window, end: Math.max(Math.min(Math.max(duration, window.end), at), window.start + shortest) };
}

/** The times at which entries of the event log begin or end, each once, in order. @param {Span[]} events */
export const boundariesOf = (events) =>
  [...new Set(events.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);

/** The nearest of `times` within `reach` seconds, else `time`. @param {number} time @param {number[]} times @param {number} reach */
export function snap(time, times, reach) {
  let best = time, distance = reach;
  for (const other of times) {
    const off = Math.abs(other - time);
    if (off <= distance) { best = other; distance = off; }
  }
  return best;
}

/** The next of `times` before (-1) or after (1) `time`; `time` where there is none. @param {number} time @param {number[]} times in order @param {-1 | 1} way */
export function nextOf(time, times, way) {
  const off = 0.005; // what rounds to the same hundredth is where we are
  const ahead = times.filter((other) => (way > 0 ? other > time + off : other < time - off));
  return (way > 0 ? ahead[0] : ahead[ahead.length - 1]) ?? time;
}
