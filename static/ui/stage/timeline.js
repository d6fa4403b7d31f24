// @ts-check
/**
 * The timeline below the player. It is drawn in CSS pixels and again when its width changes,
 * so that text and handles keep their size at every width and browser zoom.
 */
import { clock } from "./format.js";
import { part, set, svg } from "./dom.js";
import { around, boundariesOf, timeAt, xOf } from "./scale.js";
import { eventLane, ROWS, ruler, segmentLane } from "./lanes.js";
import { windowLane } from "./window_lane.js";

const GUTTER = 58, NARROW = 480, NEAR = 28;

/** @typedef {import("./scale.js").Span} Span */
/** @typedef {import("./scale.js").Lane} Lane */

/**
 * @typedef {object} TimelineData
 * @property {number} duration @property {Span} window
 * @property {import("./lanes.js").LogEvent[]} events @property {import("./lanes.js").ItemWindow[]} windows
 */

/**
 * @param {HTMLElement} root @param {TimelineData} data
 * @param {{seek: (time: number) => void, change: (window: Span, settled: boolean) => void}} host
 */
export function setUpTimeline(root, data, host) {
  const picture = part(root, "[data-timeline]");
  const still = svg("g"), edges = svg("g"), head = playhead();
  picture.replaceChildren(still, edges, head.group);
  let window = data.window, view = around(window, data.duration), width = 0, time = 0;
  const boundaries = boundariesOf(data.events);
  const left = () => (width < NARROW ? 0 : GUTTER);
  const lane = (/** @type {Span} */ span) => ({ span, left: left(), width: Math.max(1, width - left()) });
  const whole = () => lane({ start: 0, end: data.duration });
  // In the picture's own pixels, which are not those of the window where the page is zoomed by CSS.
  const own = () => { const rect = picture.getBoundingClientRect(); return { rect, zoom: rect.width / width || 1 }; };
  const toX = (/** @type {number} */ clientX) => { const { rect, zoom } = own(); return (clientX - rect.left) / zoom; };
  const toY = (/** @type {number} */ clientY) => { const { rect, zoom } = own(); return (clientY - rect.top) / zoom; };
  const drawWindow = windowLane(edges, {
    lane: () => lane(view), window: () => window, duration: data.duration, toX,
    edges: () => boundaries,
    change: (next, settled) => { show(next, settled); host.change(next, settled); },
  });
  const draw = () => {
    still.replaceChildren(
      ...(left() ? labels() : []),
      ...segmentLane(whole(), view, window, data.events, data.windows),
      ...ruler(lane(view)), ...eventLane(lane(view), data.events, window),
      svg("rect", { class: "tl-lane", x: left(), y: ROWS.window, width: lane(view).width, height: 28, rx: 2 }));
    drawWindow();
    head.move(whole(), lane(view), time, still);
  };
  /** @param {Span} next @param {boolean} settled the view follows when no edge is held */
  const show = (next, settled) => {
    window = next;
    if (settled) view = around(window, data.duration);
    draw();
  };
  new ResizeObserver(([entry]) => { width = entry.contentRect.width; draw(); }).observe(picture);
  scrub(picture, (down) => {
    const y = toY(down.clientY);
    return y < ROWS.wedge ? whole() : y < ROWS.window ? lane(view) : null;
  }, toX, host.seek);
  return {
    show: (/** @type {Span} */ next) => show(next, true),
    move: (/** @type {number} */ now) => { time = now; head.move(whole(), lane(view), now, still); },
  };
}

const labels = () => [["Segment", 17], ["Events", ROWS.events + 17], ["Window", ROWS.window + 18]].map(
  ([text, y]) => svg("text", { class: "axis strong", x: 0, y }, String(text)));

function playhead() {
  const small = svg("line", { class: "tl-head", y1: ROWS.segment, y2: ROWS.segment + 24 });
  const line = svg("line", { class: "tl-head", y1: ROWS.ruler + 2, y2: ROWS.window + 28 });
  const flag = svg("rect", { class: "tl-headflag", y: ROWS.flag, width: 48, height: 16, rx: 3 });
  const text = svg("text", { class: "tl-headtxt", y: ROWS.flag + 12, "text-anchor": "middle" });
  const big = svg("g", {}, line, flag, text);
  /** @param {Lane} whole @param {Lane} near @param {number} time @param {SVGElement} still its labels make room */
  const move = (whole, near, time, still) => {
    const x = xOf(near, time), inside = x >= near.left && x <= near.left + near.width;
    const flagX = Math.min(Math.max(x, near.left + 24), near.left + near.width - 24);
    const at = Math.min(Math.max(xOf(whole, time), whole.left), whole.left + whole.width);
    set(small, { x1: at, x2: at });
    set(big, { visibility: inside ? "visible" : "hidden" });
    set(line, { x1: x, x2: x });
    set(flag, { x: flagX - 24 });
    set(text, { x: flagX });
    if (text.textContent !== clock(time)) text.textContent = clock(time);
    for (const label of still.querySelectorAll("[data-x]")) {
      const hidden = inside && Math.abs(Number(label.getAttribute("data-x")) - flagX) < NEAR + 10;
      set(label, { visibility: hidden ? "hidden" : "visible" });
    }
  };
  return { group: svg("g", { class: "tl-play", "aria-hidden": "true" }, small, big), move };
}

/**
 * Seek by pressing and dragging on a lane. The lane is chosen where the press began.
 * @param {SVGElement} picture @param {(down: PointerEvent) => Lane | null} laneAt
 * @param {(clientX: number) => number} toX @param {(time: number) => void} seek
 */
function scrub(picture, laneAt, toX, seek) {
  picture.addEventListener("pointerdown", (down) => {
    if (down.button !== 0 || down.defaultPrevented) return;
    const lane = laneAt(down);
    if (!lane) return;
    const off = new AbortController();
    const to = (/** @type {PointerEvent} */ event) => seek(timeAt(lane, toX(event.clientX)));
    picture.setPointerCapture(down.pointerId);
    to(down);
    picture.addEventListener("pointermove", to, { signal: off.signal });
    for (const name of ["pointerup", "pointercancel"]) {
      picture.addEventListener(name, () => off.abort(), { signal: off.signal });
    }
  });
}
