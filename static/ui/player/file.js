// @ts-check
/**
 * Driver for a file of our own store: an HTML5 video without its own controls.
 * The time is that of the frame on screen where the browser tells it.
 */
import { reasonOfMedia } from "./reasons.js";

const RATES = [0.25, 0.5, 1, 1.5, 2];
const USUAL_FRAME = 1 / 25;
const ANSWER_MS = 15_000; // our own server: slow disks are forgiven more than a blocked host

/** @typedef {{box: HTMLElement, url: string, start: number}} FileOptions start: seconds of the source */

/**
 * @param {FileOptions} options
 * @returns {(wire: import("./player.js").Wire) => import("./player.js").Driver}
 */
export const fileDriver = (options) => (wire) => {
  const video = makeVideo(options.url);
  const frames = watchFrames(video);
  const off = listen(video, options.start, wire);
  options.box.append(video);
  return {
    play: () => void video.play().catch((error) => {
      if (error.name === "NotAllowedError") wire.emit("error", { reason: "autoplay", code: error.name });
    }),
    pause: () => video.pause(),
    seek: (time) => { frames.forget(); video.currentTime = time; },
    time: () => frames.time() ?? video.currentTime,
    duration: () => (Number.isFinite(video.duration) ? video.duration : 0),
    frame: () => frames.length() ?? USUAL_FRAME,
    rate: () => video.playbackRate,
    setRate: (rate) => { video.playbackRate = rate; },
    rates: () => RATES,
    destroy: () => { off(); frames.stop(); video.removeAttribute("src"); video.load(); video.remove(); },
  };
};

/** @param {string} url */
function makeVideo(url) {
  const video = document.createElement("video");
  video.muted = true; // the narration gives answers away, and a model hears nothing
  video.playsInline = true;
  video.preload = "auto";
  video.tabIndex = -1;
  video.disablePictureInPicture = true;
  video.src = url;
  return video;
}

/** @param {HTMLVideoElement} video @param {number} start @param {import("./player.js").Wire} wire */
function listen(video, start, wire) {
  const off = new AbortController();
  const timer = setTimeout(() => wire.emit("error", { reason: "file_slow", code: "no answer" }), ANSWER_MS);
  /** @param {string} name @param {() => void} then @param {boolean} [once] */
  const on = (name, then, once) => video.addEventListener(name, then, { signal: off.signal, once });
  on("loadedmetadata", () => { if (start > 0) video.currentTime = start; });
  on("canplay", () => { clearTimeout(timer); wire.emit("ready"); }, true);
  on("playing", () => wire.emit("play"));
  on("pause", () => wire.emit("pause"));
  on("ended", () => wire.emit("ended"));
  on("ratechange", () => wire.emit("rate", video.playbackRate));
  on("error", () => {
    clearTimeout(timer);
    wire.emit("error", { reason: reasonOfMedia(video.error?.code ?? 0), code: video.error?.code ?? 0 });
  });
  return () => { clearTimeout(timer); off.abort(); };
}

/**
 * Follow the frames that are shown: the time of the last one and the shortest step seen.
 * @param {HTMLVideoElement} video
 */
function watchFrames(video) {
  /** @type {number | null} */ let shown = null;
  /** @type {number | null} */ let step = null;
  let handle = 0;
  const seen = (/** @type {number} */ _now, /** @type {{mediaTime: number}} */ frame) => {
    const gap = shown === null ? 0 : frame.mediaTime - shown;
    if (gap > 0.005 && gap < 0.25 && !video.paused) step = Math.min(step ?? gap, gap);
    shown = frame.mediaTime;
    handle = video.requestVideoFrameCallback(seen);
  };
  if ("requestVideoFrameCallback" in video) handle = video.requestVideoFrameCallback(seen);
  return {
    /** A paused video that was moved has no new frame yet: then the seek's own time is right. */
    time: () => (video.paused || video.seeking || shown === null ? null : shown),
    length: () => step,
    forget: () => { shown = null; },
    stop: () => { if (handle) video.cancelVideoFrameCallback(handle); },
  };
}
