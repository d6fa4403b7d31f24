// @ts-check
/**
 * What the model sees: the very file that a model is sent for this item and this box, cut by a
 * worker, playing in the page with its facts beside it. Moving the box shows the live crop again.
 */
import { clipVideo, fetchClip } from "../player/clip.js";
import { html, part } from "../stage/dom.js";
import { clock } from "../stage/format.js";

/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("../player/clip.js").Facts} Facts */

/** @param {HTMLElement} root @param {{url: string, box: () => Box, unsaved: () => boolean, window: {start: number, end: number}}} host */
export function setUpPreview(root, host) {
  const place = part(root, "[data-clip]"), said = part(root, "[data-clip-said]");
  const facts = part(root, "[data-clip-facts]"), live = part(root, "[data-crop]"), at = part(root, "[data-at]");
  let asking = new AbortController(), shown = false;
  const clear = () => {
    asking.abort();
    asking = new AbortController();
    shown = false;
    place.replaceChildren();
    facts.replaceChildren();
    [place.hidden, facts.hidden, live.hidden, at.hidden] = [true, true, false, false];
  };
  /** @param {string} text @param {string} [tone] */
  const say = (text, tone = "dim") => { said.className = `small ${tone}`; said.textContent = text; };

  /** Cut and play; where it plays already, pause and go on. */
  async function play() {
    const video = place.querySelector("video");
    if (video && shown) return void (video.paused ? video.play() : video.pause());
    clear();
    const unsaved = host.unsaved();
    say("A worker cuts the clip");
    const found = await fetchClip(host.url, { roi: host.box() }, asking.signal);
    if (!found) return;
    if ("reason" in found) return say(`No clip: ${found.reason} Press M to try again.`, "bad");
    shown = true;
    place.replaceChildren(clipVideo(found, () => { clear(); say("The clip does not play. Press M to cut it again.", "bad"); }));
    facts.replaceChildren(...rows(found.url, found.clip));
    [place.hidden, facts.hidden, live.hidden, at.hidden] = [false, false, true, true];
    say(`The file itself, ${unsaved ? "of the box as drawn, which is not saved" : "of the saved box"}; window ${clock(host.window.start)} to ${clock(host.window.end)}.`);
  }

  return {
    play: () => void play(),
    /** The box is another one now. */
    stale: () => {
      if (!shown && !said.textContent) return;
      const was = shown;
      clear();
      say(was ? "The box has moved on: press M for its clip." : "");
    },
  };
}

/** @param {string} url @param {Facts} clip */
function rows(url, clip) {
  const scaled = clip.crop[3] === clip.height ? "not scaled" : `scaled from ${clip.crop[2]} × ${clip.crop[3]} px`;
  const open = html("a", { href: url, target: "_blank", rel: "noopener", class: "push nowrap" }, "Open in full size");
  const pair = (/** @type {string} */ name, /** @type {(Node | string)[]} */ ...parts) => [html("dt", {}, name), html("dd", { class: "row row-4" }, ...parts)];
  return [
    ...pair("Clip", html("strong", {}, `${clip.width} × ${clip.height} px`), html("span", { class: "dimmer" }, scaled), open),
    ...pair("Time", `${clip.duration.toFixed(2)} s`, html("span", { class: "dimmer" }, `${clip.frames} frames at ${clip.fps} a second`)),
    ...pair("File", `${(clip.bytes / 1000).toFixed(0)} kB`, html("span", { class: "dimmer clip" }, "H.264, no sound")),
    ...pair("sha256", html("code", { class: "clip", title: clip.sha256 }, clip.sha256)),
  ];
}
