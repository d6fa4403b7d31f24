// @ts-check
// Sends something until the server has answered it: a dead network, a server that is down or busy
// only make it later. What the answer says is for the caller.

import { sendJson } from "../http.js";

const LONGEST_PAUSE = 30; // seconds
const AGAIN_LATER = [408, 429];

/**
 * @typedef {{status: number, ok: boolean, body: any}} Told
 * @param {"POST" | "PUT"} method @param {string} url
 * @param {() => object} body asked for anew at each try
 * @param {(why: string, seconds: number) => void} waiting told before each pause
 * @param {{stopped: boolean}} way set `stopped` to give up
 * @returns {Promise<Told | null>} null where it was given up
 */
export async function sendPatiently(method, url, body, waiting, way) {
  for (let failures = 0; !way.stopped; failures += 1) {
    const answer = await sendJson(method, url, body()).catch(() => null);
    const said = (await answer?.json().catch(() => ({}))) ?? {};
    if (answer && answer.status < 500 && !AGAIN_LATER.includes(answer.status)) {
      return { status: answer.status, ok: answer.ok, body: said };
    }
    const asked = Number(answer?.headers.get("Retry-After")) || 0;
    const seconds = Math.max(asked, Math.min(LONGEST_PAUSE, 2 ** failures));
    waiting(answer ? said.detail ?? `the server answered ${answer.status}` : "the server cannot be reached", seconds);
    await pause(seconds * 1000, way);
  }
  return null;
}

/** Wait, or until the network is back, or it is given up. @param {number} ms @param {{stopped: boolean}} way */
function pause(ms, way) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(late);
      clearInterval(look);
      removeEventListener("online", done);
      resolve(undefined);
    };
    const late = setTimeout(done, ms);
    const look = setInterval(() => way.stopped && done(), 200);
    addEventListener("online", done);
  });
}

/** Whether the answer means that this session is over, or is another account's. @param {Told} told */
export function needsSignIn({ status, body }) {
  const forged = status === 403 && String(body.detail ?? "CSRF").startsWith("CSRF");
  return status === 401 || forged || (status === 409 && body.type === "urn:sonovqa:other-reader");
}
