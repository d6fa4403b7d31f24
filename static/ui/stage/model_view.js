// @ts-check
/**
 * The model's view: the crop to the ROI. A file is cropped while it plays. YouTube's player must
 * not be covered or cut, so there a still of the moment stands in the player's place.
 */
import { cropped, place } from "../player/crop.js";
import { fetchStill, stillUrl } from "../player/still.js";
import { html, part } from "./dom.js";
import { clock } from "./format.js";

/** @typedef {import("../player/crop.js").Rect} Rect */

/**
 * @param {HTMLElement} box the player's box @param {Rect} roi fractions
 * @param {{stills: string, isFile: boolean}} options
 */
export function modelView(box, roi, { stills, isFile }) {
  const screen = part(box, "[data-screen]");
  const instead = part(box, "[data-instead]");
  /** @type {AbortController | null} */ let asking = null;
  let on = false;
  const lay = () => {
    const frame = isFile ? screen : part(instead, ".crop");
    const picture = frame.querySelector("video, img");
    const size = sizeOf(picture);
    if (!picture || !size) return;
    const { width, height } = box.getBoundingClientRect();
    const places = on ? cropped(width, height, size, roi) : null;
    place(frame, places?.frame ?? null);
    place(picture, places?.picture ?? null);
  };
  new ResizeObserver(() => { if (on && (isFile || instead.querySelector(".crop"))) lay(); }).observe(box);
  screen.addEventListener("loadedmetadata", () => on && lay(), true);
  /** @param {number} time */
  const showStill = async (time) => {
    asking?.abort();
    asking = new AbortController();
    instead.replaceChildren(html("p", { class: "wait" }, `Taking a still at ${clock(time)}`));
    const still = await fetchStill(stillUrl(stills, time), asking.signal).catch(() => null);
    if (!still || !on) return;
    if ("reason" in still) {
      instead.replaceChildren(html("p", { class: "wait" }, `No still at ${clock(time)}. ${still.reason}`));
      return;
    }
    const picture = html("img", { src: still.url, alt: `The ROI at ${clock(time)}` });
    picture.addEventListener("load", lay);
    instead.replaceChildren(html("div", { class: "crop" }, picture),
      html("p", { class: "caption" }, `Still at ${clock(time)}; YouTube's player cannot be cropped`));
  };
  return {
    get on() { return on; },
    /** @param {boolean} next @param {number} time */
    show(next, time) {
      on = next;
      box.toggleAttribute("data-model-view", on);
      if (isFile) lay();
      else if (on) void showStill(time);
      else { asking?.abort(); instead.replaceChildren(); }
    },
  };
}

/** @param {Element | null} picture */
function sizeOf(picture) {
  if (picture instanceof HTMLVideoElement && picture.videoWidth) return { w: picture.videoWidth, h: picture.videoHeight };
  if (picture instanceof HTMLImageElement && picture.naturalWidth) return { w: picture.naturalWidth, h: picture.naturalHeight };
  return null;
}
