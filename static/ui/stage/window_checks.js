// @ts-check
/**
 * What there is to say about a window before it is saved: the same words as the server's
 * (annotation/domain/window_checks.py; a test holds the two together). Pure.
 */
import { clock } from "./format.js";

const SHORT = 0.5; // seconds
const FPS = 15; // of clips
const SEEN = 0.005; // seconds: what rounds to a hundredth

/** @typedef {import("./scale.js").Span} Span */

/** @param {Span} window @param {number} segment seconds @param {Span[]} events @returns {string[]} */
export function windowWarnings({ start, end }, segment, events) {
  const list = [];
  if (start >= segment) list.push(`Lies after its segment, which ends at ${clock(segment)}: move it in`);
  else if (end > segment + SEEN) {
    list.push(`Ends ${hundredths(end - segment)} s after its segment: end it at ${clock(segment)}, unless that is meant`);
  }
  if (end - start < SHORT) {
    const frames = Math.max(1, Math.floor((end - start) * FPS + 0.5));
    list.push(`Only ${hundredths(end - start)} s: a model gets ${frames} ${frames === 1 ? "frame" : "frames"}. Lengthen it if more is to be seen`);
  }
  if (events.length && !events.some((event) => event.start < end && event.end > start)) {
    list.push("No entry of the event log lies in it: check that it is the right place");
  }
  return list;
}

const hundredths = (/** @type {number} */ seconds) => (Math.floor(100 * seconds + 0.5) / 100).toFixed(2);
