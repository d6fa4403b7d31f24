// @ts-check
/** The same box at six times of the video: is the picture inside it all the way? */
import { fetchStill, stillUrl } from "../player/still.js";
import { html, icon, part, set, svg } from "../stage/dom.js";
import { short } from "../stage/format.js";
import { crossed, grey } from "./picture.js";

/** @typedef {import("./geometry.js").Box} Box */

const CELLS = 6;

/**
 * Six times, in order: middle, start and end of the item's window first, then spread over the
 * segment, none twice. @param {number} duration @param {{start: number, end: number}} window
 */
export function timesOf(duration, window) {
  const own = [(window.start + window.end) / 2, window.start, window.end];
  const spread = [0.06, 0.94, 0.5, 0.3, 0.7, 0.18, 0.82, 0.4].map((share) => share * duration);
  const apart = Math.min(0.25, duration / 24), times = /** @type {number[]} */ ([]);
  for (const wish of [...own, ...spread]) {
    const time = Math.round(Math.min(Math.max(0, wish), duration) * 100) / 100;
    if (times.length < CELLS && times.every((other) => Math.abs(other - time) >= apart)) times.push(time);
  }
  return times.sort((a, b) => a - b);
}

/**
 * @param {HTMLElement} root @param {{stills: string, times: number[], window: {start: number, end: number}, frame: () => {w: number, h: number}, pick: (time: number) => void, checked: (crossing: number, looked: number) => void}} host
 */
export function setUpFilm(root, host) {
  const cells = host.times.map((time) => cell(time, host));
  part(root, "[data-film]").replaceChildren(...cells.map(({ button }) => button));
  let box = /** @type {Box | null} */ (null);
  const check = () => {
    const looked = cells.filter(({ look }) => look.image);
    let crossing = 0;
    for (const { look, mark } of looked) {
      const sides = look.image && box ? crossed(look.image, box) : [];
      if (sides.length) crossing += 1;
      set(mark, { class: `row row-4 ${sides.length ? "warn" : "good"}`, title: sides.length ? `The picture goes on at the ${sides.join(", ")}` : "The picture ends inside the box" });
      mark.replaceChildren(icon(sides.length ? "alert" : "tick"), sides.length ? "edge" : "in");
    }
    host.checked(crossing, looked.length);
  };
  cells.forEach(({ look }) => { look.arrived = check; });
  return {
    /** @param {Box} next */
    draw: (next) => {
      box = next;
      const { w, h } = host.frame();
      for (const { picture, image, edge, scrim } of cells) {
        set(picture, { viewBox: `0 0 ${w} ${h}` }); // a source's size may come with its first still
        set(image, { width: w, height: h });
        const at = { x: box.x * w, y: box.y * h, width: box.w * w, height: box.h * h };
        set(edge, at);
        set(scrim, { d: `M0 0H${w}V${h}H0ZM${at.x} ${at.y}h${at.width}v${at.height}h${-at.width}Z` });
      }
      check();
    },
    /** @param {number} time */
    press: (time) => cells.forEach((one) => set(one.button, { "aria-pressed": String(one.time === time) })),
  };
}

/** @param {number} time @param {Parameters<typeof setUpFilm>[1]} host */
function cell(time, host) {
  const image = svg("image");
  const scrim = svg("path", { class: "roi-scrim", "fill-rule": "evenodd" });
  const edge = svg("rect", { class: "roi-edge thick" });
  const mark = html("em", { class: "row row-4 dimmer" });
  const picture = svg("svg", { "aria-hidden": "true" }, image, scrim, edge);
  const inClip = time >= host.window.start && time <= host.window.end;
  const button = html("button", { type: "button", "aria-pressed": "false", "aria-label": `Still at ${short(time)}${inClip ? ", in the clip" : ""}` },
    picture, html("span", {}, html("b", { class: inClip ? "in-clip" : "" }, short(time, true)), mark));
  const look = { image: /** @type {ReturnType<typeof grey> | null} */ (null), arrived: () => {}, failed: false };
  const load = async () => {
    look.failed = false;
    set(button, { "data-state": "loading", title: "A worker takes the still" });
    mark.textContent = "taking";
    const still = await fetchStill(stillUrl(host.stills, time));
    if ("reason" in still) {
      look.failed = true;
      set(button, { "data-state": "failed", title: `${still.reason} Press to try again.` });
      mark.replaceChildren(icon("alert"), "no still");
      return;
    }
    set(image, { href: still.url });
    set(button, { "data-state": "ready", title: false });
    const copy = new Image();
    copy.onload = () => { look.image = grey(copy); look.arrived(); };
    copy.src = still.url;
  };
  button.addEventListener("click", () => { if (look.failed) void load(); host.pick(time); });
  void load();
  return { time, button, picture, image, edge, scrim, mark, look };
}
