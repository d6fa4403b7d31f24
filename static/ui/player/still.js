// @ts-check
/**
 * Asks for a still of the video. The server answers 200 with the picture, 202 while a worker
 * takes it, or 404 with a reason where none can be had.
 */

const AGAIN_MS = 700;
const PATIENCE_MS = 60_000;

/** @typedef {{url: string} | {reason: string}} Still */

/** @param {string} pattern address of the still at 0 ms, such as /media/stills/7/0.jpg @param {number} seconds */
export const stillUrl = (pattern, seconds) =>
  pattern.replace(/\/0\.jpg$/, `/${Math.max(0, Math.round(seconds * 1000))}.jpg`);

/** @param {string} url @param {AbortSignal} [signal] @returns {Promise<Still>} */
export async function fetchStill(url, signal) {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const answer = await fetch(url, { credentials: "same-origin", signal }).catch(() => null);
    signal?.throwIfAborted();
    if (!answer) return { reason: "The server cannot be reached." };
    if (answer.status === 200 && answer.headers.get("content-type")?.startsWith("image/")) return { url };
    if (answer.status !== 202) return { reason: await reasonIn(answer) };
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    signal?.throwIfAborted();
  }
  return { reason: "No worker took the still in time." };
}

/** @param {Response} answer */
async function reasonIn(answer) {
  const body = await answer.json().catch(() => ({}));
  return typeof body.reason === "string" && body.reason ? body.reason : "No still can be had.";
}
