// @ts-check
/** Draws the still parts of the timeline: segment lane, ruler and event lane. */
import { short } from "./format.js";
import { stretch, ticks, xOf } from "./scale.js";
import { svg } from "./dom.js";

/** @typedef {import("./scale.js").Lane} Lane */
/** @typedef {import("./scale.js").Span} Span */
/** @typedef {{start: number, end: number, action: string}} LogEvent */
/** @typedef {{kind: string, start: number, end: number, current: boolean}} ItemWindow */

/** Heights and places of the lanes, in pixels from the top. */
export const ROWS = { segment: 1, wedge: 26, flag: 42, ruler: 55, events: 63, window: 93, bottom: 122 };

/** Shares time with the window. @param {Span} event @param {Span} window */
const touches = (event, window) => event.start < window.end && event.end > window.start;

/**
 * @param {Lane} lane the whole segment @param {Span} view what the zoomed lane shows
 * @param {Span} window @param {LogEvent[]} events @param {ItemWindow[]} windows
 */
export function segmentLane(lane, view, window, events, windows) {
  const y = ROWS.segment;
  const shown = stretch(lane, view) ?? { x: lane.left, width: 0 };
  const parts = [svg("rect", { class: "tl-lane", x: lane.left, y, width: lane.width, height: 24, rx: 2 })];
  for (const event of events) {
    const box = stretch(lane, event);
    const on = touches(event, window) ? " on" : "";
    if (box) parts.push(svg("rect", { class: `tl-ev${on}`, ...box, y: y + 2, height: 12 }));
  }
  for (const item of windows.filter((other) => !other.current)) {
    const box = stretch(lane, item);
    const row = item.kind === "mcq" ? 16 : 20;
    if (box) parts.push(svg("rect", { class: "tl-other", ...box, y: y + row, height: 2 }));
  }
  const own = stretch(lane, window);
  const row = windows.find((other) => other.current)?.kind === "free" ? 20 : 16;
  if (own) parts.push(svg("rect", { class: "tl-cur", ...own, y: y + row, height: 2 }));
  parts.push(svg("rect", { class: "tl-view", ...shown, y: y - 0.5, height: 25, rx: 2 }));
  const right = lane.left + lane.width;
  parts.push(svg("path", { class: "tl-wedge",
    d: `M${shown.x} ${ROWS.wedge} L${lane.left} 42 H${right} L${shown.x + shown.width} ${ROWS.wedge} Z` }));
  return parts;
}

/** @param {Lane} lane zoomed */
export function ruler(lane) {
  const { fine, list } = ticks(lane);
  const parts = [];
  for (const { time, major } of list) {
    const x = xOf(lane, time);
    parts.push(svg("line", { class: "grid-line", x1: x, x2: x, y1: ROWS.ruler + (major ? 0 : 3), y2: ROWS.ruler + 6 }));
    if (!major || x < lane.left + 14 || x > lane.left + lane.width - 14) continue;
    parts.push(svg("text", { class: "axis", x, y: ROWS.ruler - 1, "text-anchor": "middle", "data-x": x }, short(time, fine)));
  }
  return parts;
}

/** @param {Lane} lane zoomed @param {LogEvent[]} events @param {Span} window */
export function eventLane(lane, events, window) {
  const y = ROWS.events;
  const parts = [svg("rect", { class: "tl-lane", x: lane.left, y, width: lane.width, height: 26, rx: 2 })];
  for (const event of events) {
    const box = stretch(lane, event);
    if (!box) continue;
    const on = touches(event, window) ? " on" : "";
    parts.push(svg("svg", { ...box, y, height: 26 }, // its own viewport cuts the text at its edge
      svg("rect", { class: `tl-ev${on}`, width: box.width, height: 26, rx: 2 }),
      svg("text", { class: "tl-txt", x: 8, y: 17 }, box.width > 24 ? event.action : ""),
      svg("title", {}, event.action)));
  }
  return parts;
}
