// @ts-check
/** The same box at five times of the video: is the picture inside it all the way? */
import { fetchStill, stillUrl } from "../player/still.js";
import { html, icon, part, set, svg } from "../stage/dom.js";
import { short } from "../stage/format.js";
import { crossed, grey } from "./picture.js";

/** @typedef {import("./geometry.js").Box} Box */

/** Five times: the item's own and four spread over the video, in order. @param {number} duration @param {number} own */
export function timesOf(duration, own) {
  const spread = [0.06, 0.3, 0.62, 0.92].map((share) => share * duration);
  return [...spread, own].sort((a, b) => a - b).map((time) => Math.round(time * 100) / 100);
}

/**
 * @param {HTMLElement} root @param {{stills: string, times: number[], frame: () => {w: number, h: number}, pick: (time: number) => void, checked: (crossing: number, looked: number) => void}} host
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
  const mark = html("em", { class: "row row-4 dimmer" }, "…");
  const picture = svg("svg", { "aria-hidden": "true" }, image, scrim, edge);
  const button = html("button", { type: "button", "aria-pressed": "false", "aria-label": `Still at ${short(time)}` },
    picture, html("span", {}, short(time), mark));
  button.addEventListener("click", () => host.pick(time));
  const look = { image: /** @type {ReturnType<typeof grey> | null} */ (null), arrived: () => {} };
  void fetchStill(stillUrl(host.stills, time)).then((still) => {
    if ("reason" in still) { mark.textContent = "no still"; return; }
    set(image, { href: still.url });
    const copy = new Image();
    copy.onload = () => { look.image = grey(copy); look.arrived(); };
    copy.src = still.url;
  });
  return { time, button, picture, image, edge, scrim, mark, look };
}
