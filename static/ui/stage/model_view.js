// @ts-check
/**
 * The model's view: the crop to the ROI. A file is cropped while it plays. YouTube's player must
 * not be covered or cut: there a still of the moment stands in the player's place, or, where the
 * benchmark's maintainer took that risk, an outline lies over the paused player until it plays.
 */
import { cropped, fit, place } from "../player/crop.js";
import { fetchStill, stillUrl } from "../player/still.js";
import { html, part, svg } from "./dom.js";
import { clock } from "./format.js";

/** @typedef {import("../player/crop.js").Rect} Rect */
/** @typedef {{stills: string, isFile: boolean, outline: {width: number, height: number} | null}} Options */

/** @param {HTMLElement} box the player's box @param {Rect} roi fractions @param {Options} options */
export function modelView(box, roi, { stills, isFile, outline }) {
  const screen = part(box, "[data-screen]"), instead = part(box, "[data-instead]");
  const still = stillOf(instead, stills, () => lay());
  let on = false;
  const lay = () => {
    const frame = isFile ? screen : instead.querySelector(".crop");
    const picture = frame?.querySelector("video, img") ?? null, size = sizeOf(picture);
    if (!picture || !size) return;
    const { width, height } = box.getBoundingClientRect();
    const places = on ? cropped(width, height, size, roi) : null;
    place(frame, places?.frame ?? null);
    place(picture, places?.picture ?? null);
  };
  const redraw = () => {
    lay();
    box.querySelector(".outline")?.remove();
    if (on && outline && !isFile) box.append(outlineOf(box, outline, roi));
  };
  new ResizeObserver(() => { if (on) redraw(); }).observe(box);
  screen.addEventListener("loadedmetadata", () => on && lay(), true);
  return {
    get on() { return on; },
    /** @param {boolean} next @param {number} time */
    show(next, time) {
      on = next;
      box.toggleAttribute("data-model-view", on && !(outline && !isFile));
      redraw();
      if (isFile || outline) return;
      if (on) void still.show(time);
      else still.clear();
    },
  };
}

/** A still in the player's place. @param {HTMLElement} instead @param {string} stills @param {() => void} arrived */
function stillOf(instead, stills, arrived) {
  let asking = new AbortController();
  const say = (/** @type {string} */ text) => instead.replaceChildren(html("p", { class: "wait" }, text));
  const clear = () => { asking.abort(); instead.replaceChildren(); };
  /** @param {number} time */
  const show = async (time) => {
    clear();
    asking = new AbortController();
    const { signal } = asking;
    say(`Taking a still at ${clock(time)}`);
    const still = await fetchStill(stillUrl(stills, time), signal).catch(() => null);
    if (!still || signal.aborted) return;
    if ("reason" in still) return say(`No still at ${clock(time)}. ${still.reason}`);
    const picture = html("img", { src: still.url, alt: `The ROI at ${clock(time)}` });
    picture.addEventListener("load", arrived);
    instead.replaceChildren(html("div", { class: "crop" }, picture),
      html("p", { class: "caption" }, `Still at ${clock(time)}; YouTube's player cannot be cropped`));
  };
  return { show, clear };
}

/** Only a line, which lets every press through. @param {HTMLElement} box @param {{width: number, height: number}} size @param {Rect} roi */
function outlineOf(box, size, roi) {
  const { width, height } = box.getBoundingClientRect();
  const frame = fit(width, height, size.width / size.height);
  return svg("svg", { class: "outline", "aria-hidden": "true" }, svg("rect", {
    x: frame.x + roi.x * frame.w, y: frame.y + roi.y * frame.h, width: roi.w * frame.w, height: roi.h * frame.h,
  }));
}

/** @param {Element | null} picture */
function sizeOf(picture) {
  if (picture instanceof HTMLVideoElement && picture.videoWidth) return { w: picture.videoWidth, h: picture.videoHeight };
  if (picture instanceof HTMLImageElement && picture.naturalWidth) return { w: picture.naturalWidth, h: picture.naturalHeight };
  return null;
}
