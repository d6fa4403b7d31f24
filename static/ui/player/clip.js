// @ts-check
/**
 * Asks for the clip of an item as a model is sent it. The server answers 202 while a worker cuts
 * it, then the address of the file with its facts, or why it cannot be had.
 */
import { sendJson } from "../http.js";
import { html } from "../stage/dom.js";

const AGAIN_MS = 1000;

/** @typedef {{width: number, height: number, fps: number, frames: number, duration: number, sha256: string, bytes: number, crop: number[], source_height: number}} Facts */
/** @typedef {{url: string, clip: Facts} | {reason: string}} Found */

/** @param {string} url @param {object} body `roi` to try another box than the saved one @param {AbortSignal} signal @returns {Promise<Found | null>} null where nobody waits any more */
export async function fetchClip(url, body, signal) {
  for (;;) {
    const answer = await sendJson("POST", url, body).catch(() => null);
    const said = /** @type {any} */ (await answer?.json().catch(() => null));
    if (signal.aborted) return null;
    if (!answer) return { reason: "the server cannot be reached." };
    if (answer.status !== 202) {
      if (answer.ok && said?.state === "done") return { url: said.url, clip: said.clip };
      return { reason: said?.detail ?? `${said?.reason ?? answer.status} ${said?.advice ?? ""}`.trim() };
    }
    await new Promise((resolve) => { setTimeout(resolve, AGAIN_MS); });
    if (signal.aborted) return null;
  }
}

/** A player of the file: silent, in a loop, by itself unless less motion is asked for. @param {Found & {clip: Facts}} found @param {() => void} broken */
export function clipVideo({ url, clip }, broken) {
  const video = /** @type {HTMLVideoElement} */ (html("video", { src: url, loop: true, playsinline: true, controls: true,
    width: clip.width, height: clip.height, "aria-label": "The clip as a model gets it, without sound" }));
  video.muted = true;
  video.addEventListener("error", broken);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) void video.play().catch(() => {});
  return video;
}
