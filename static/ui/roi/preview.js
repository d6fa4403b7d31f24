// @ts-check
/**
 * What the model sees: the very file that a model is sent for this item and this box, cut by a
 * worker, playing in the page with its facts beside it. Moving the box shows the live crop again.
 */
import { sendJson } from "../http.js";
import { html, part } from "../stage/dom.js";
import { clock } from "../stage/format.js";

const AGAIN_MS = 1000;

/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {{width: number, height: number, fps: number, frames: number, duration: number, sha256: string, bytes: number, crop: number[], source_height: number}} Facts */

/** @param {HTMLElement} root @param {{url: string, box: () => Box, unsaved: () => boolean, window: {start: number, end: number}}} host */
export function setUpPreview(root, host) {
  const place = part(root, "[data-clip]"), said = part(root, "[data-clip-said]");
  const facts = part(root, "[data-clip-facts]"), live = part(root, "[data-crop]"), at = part(root, "[data-at]");
  let asked = 0, shown = /** @type {string | null} */ (null);
  const clear = () => {
    asked += 1;
    shown = null;
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
    const own = asked, box = host.box(), unsaved = host.unsaved();
    say("A worker cuts the clip");
    for (;;) {
      const answer = await sendJson("POST", host.url, { roi: box }).catch(() => null);
      const body = /** @type {any} */ (await answer?.json().catch(() => null));
      if (own !== asked) return;
      if (answer?.status !== 202) return settled(answer, body, unsaved);
      await new Promise((resolve) => { setTimeout(resolve, AGAIN_MS); });
      if (own !== asked) return;
    }
  }

  /** @param {Response | null} answer @param {any} body @param {boolean} unsaved */
  function settled(answer, body, unsaved) {
    if (!answer) return say("No clip: the server cannot be reached. Press M to try again.", "warn");
    if (!answer.ok) return say(`No clip: ${body?.detail ?? answer.status}. Press M to try again.`, "bad");
    if (body.state !== "done") return say(`No clip: ${body.reason} ${body.advice ?? ""}`, "bad");
    show(body.url, body.clip, unsaved);
  }

  /** @param {string} url @param {Facts} clip @param {boolean} unsaved */
  function show(url, clip, unsaved) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const video = /** @type {HTMLVideoElement} */ (html("video", { src: url, loop: true, playsinline: true, controls: true,
      width: clip.width, height: clip.height, "aria-label": "The clip as a model gets it, without sound" }));
    video.muted = true;
    video.addEventListener("error", () => { clear(); say("The clip does not play. Press M to cut it again.", "bad"); });
    shown = url;
    place.replaceChildren(video);
    facts.replaceChildren(...rows(url, clip));
    [place.hidden, facts.hidden, live.hidden, at.hidden] = [false, false, true, true];
    say(`The file itself, ${unsaved ? "of the box as drawn, which is not saved" : "of the saved box"}; window ${clock(host.window.start)} to ${clock(host.window.end)}.`);
    if (!still) void video.play().catch(() => {});
  }

  return {
    play: () => void play(),
    /** The box is another one now. */
    stale: () => {
      if (!shown && !said.textContent) return;
      const was = shown !== null;
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
