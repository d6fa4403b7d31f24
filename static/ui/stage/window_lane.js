// @ts-check
/** The window on the timeline: a caliper with two sliders. An edge that is moved moves alone. */
import { clock } from "./format.js";
import { ROWS } from "./lanes.js";
import { moveEdge, nextOf, snap, timeAt, xOf } from "./scale.js";
import { set, svg } from "./dom.js";

export const LEAST = 0.2; // seconds: the shortest window
const SNAP_PX = 8;
const TEXT = 56; // pixels that a time takes beside its edge
const KEYS = { ArrowLeft: -0.1, ArrowDown: -0.1, ArrowRight: 0.1, ArrowUp: 0.1, PageDown: -1, PageUp: 1 };
const OWN = Object.keys(KEYS).flatMap((key) => [key, `Shift+${key}`, `Ctrl+${key}`]).join(" ");

/** @typedef {import("./scale.js").Lane} Lane */
/** @typedef {import("./scale.js").Span} Span */

/**
 * @typedef {object} WindowHost what the lane asks of the timeline
 * @property {() => Lane} lane zoomed; it stays still while an edge is dragged
 * @property {() => Span} window
 * @property {number} duration
 * @property {() => number[]} edges times that a dragged edge snaps to, unless Alt is held
 * @property {(window: Span, settled: boolean) => void} change
 * @property {(clientX: number) => number} toX
 */

/** @param {SVGElement} group @param {WindowHost} host */
export function windowLane(group, host) {
  const parts = {
    fill: svg("rect", { class: "tl-win", y: ROWS.window, height: 28 }),
    line: svg("line", { class: "cal", y1: ROWS.window + 14, y2: ROWS.window + 14 }),
    plate: svg("rect", { class: "f-panel", y: ROWS.window + 5, width: 54, height: 18, rx: 2 }),
    length: svg("text", { class: "val", y: ROWS.window + 18, "text-anchor": "middle" }),
    from: svg("text", { class: "val tl-time", y: ROWS.window + 18 }),
    to: svg("text", { class: "val tl-time", y: ROWS.window + 18 }),
  };
  const bounds = svg("g", { "aria-hidden": "true" });
  const start = slider("start", host), end = slider("end", host);
  group.append(bounds, ...Object.values(parts), start, end);
  return () => {
    bounds.replaceChildren(...boundaryLines(host));
    draw(parts, start, end, host);
  };
}

/** Where entries of the event log begin and end; bright where an edge stands on one. @param {WindowHost} host */
function boundaryLines(host) {
  const lane = host.lane(), window = host.window();
  return host.edges().filter((time) => time >= lane.span.start && time <= lane.span.end).map((time) => {
    const on = Math.min(Math.abs(time - window.start), Math.abs(time - window.end)) < 0.005, x = xOf(lane, time);
    return svg("line", { class: `tl-bound${on ? " on" : ""}`, x1: x, x2: x, y1: ROWS.events + 26, y2: ROWS.window + 28 });
  });
}

/** @param {"start" | "end"} edge @param {WindowHost} host */
function slider(edge, host) {
  const handle = svg("g", { role: "slider", tabindex: 0, class: "tl-handle", "data-edge": edge,
    "aria-label": `Window ${edge}`, "aria-valuemin": 0, "data-own-keys": OWN },
    svg("rect", { class: "tl-hit", x: -22, y: ROWS.window - 2, width: 44, height: 32 }),
    svg("line", { class: "cal", x1: 0, x2: 0, y1: ROWS.window - 1, y2: ROWS.window + 29 }),
    svg("rect", { class: "grip", x: -4, y: ROWS.window + 7, width: 8, height: 14, rx: 2 }));
  const move = (/** @type {number} */ time, /** @type {boolean} */ settled) =>
    host.change(moveEdge(host.window(), edge, time, { duration: host.duration, least: LEAST }), settled);
  handle.addEventListener("keydown", (event) => {
    const by = event.altKey ? undefined : KEYS[/** @type {keyof KEYS} */ (event.key)];
    if (by === undefined) return;
    event.preventDefault();
    const at = host.window()[edge];
    if (event.ctrlKey) move(nextOf(at, host.edges(), by < 0 ? -1 : 1), true);
    else move(at + (event.shiftKey ? by * 10 : by), true);
  });
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    handle.focus({ preventScroll: true });
    drag(handle, event, host.window()[edge], move, host);
  });
  return handle;
}

/**
 * @param {SVGElement} handle @param {PointerEvent} down @param {number} from
 * @param {(time: number, settled: boolean) => void} move @param {WindowHost} host
 */
function drag(handle, down, from, move, host) {
  const grip = host.toX(down.clientX) - xOf(host.lane(), from);
  const off = new AbortController();
  let time = from;
  handle.setPointerCapture(down.pointerId);
  const follow = (/** @type {PointerEvent} */ event) => {
    const lane = host.lane(); // as it stands now: the page may have changed its size
    time = timeAt(lane, host.toX(event.clientX) - grip);
    const reach = (SNAP_PX / lane.width) * (lane.span.end - lane.span.start);
    if (!event.altKey) time = snap(time, host.edges(), reach);
    move(time, false);
  };
  const done = () => { off.abort(); if (time !== from) move(time, true); };
  handle.addEventListener("pointermove", follow, { signal: off.signal });
  for (const name of ["pointerup", "pointercancel"]) handle.addEventListener(name, done, { signal: off.signal });
}

/** @param {Record<string, SVGElement>} parts @param {SVGElement} start @param {SVGElement} end @param {WindowHost} host */
function draw(parts, start, end, host) {
  const lane = host.lane(), window = host.window();
  const x1 = xOf(lane, window.start), x2 = xOf(lane, window.end), middle = (x1 + x2) / 2;
  const before = x1 - lane.left > TEXT, after = lane.left + lane.width - x2 > TEXT;
  const room = x2 - x1 > 72 + (before ? 0 : TEXT) + (after ? 0 : TEXT);
  set(parts.fill, { x: x1, width: Math.max(0, x2 - x1) });
  set(parts.line, { x1, x2 });
  set(parts.plate, { x: middle - 27, visibility: room ? "visible" : "hidden" });
  set(parts.length, { x: middle, visibility: room ? "visible" : "hidden" });
  parts.length.textContent = `${(window.end - window.start).toFixed(2)} s`;
  set(parts.from, { x: before ? x1 - 9 : x1 + 9, "text-anchor": before ? "end" : "start" });
  parts.from.textContent = clock(window.start);
  set(parts.to, { x: after ? x2 + 9 : x2 - 9, "text-anchor": after ? "start" : "end" });
  parts.to.textContent = clock(window.end);
  for (const [handle, x, time] of /** @type {const} */ ([[start, x1, window.start], [end, x2, window.end]])) {
    set(handle, { transform: `translate(${x} 0)`, "aria-valuemax": host.duration.toFixed(2),
      "aria-valuenow": time.toFixed(2), "aria-valuetext": `${clock(time)}, minutes and seconds` });
  }
}
