// @ts-check
/**
 * Loads YouTube's IFrame API once an origin. A blocked host may refuse at once or answer never:
 * both end here as a rejection, and the next try starts afresh.
 */

/** @type {Map<string, Promise<any>>} */
const loading = new Map();
let tries = 0;

/** @param {string} origin such as https://www.youtube.com @param {number} waitMs @returns {Promise<any>} window.YT */
export function loadYouTube(origin, waitMs) {
  const known = loading.get(origin);
  if (known) return known;
  const fresh = request(origin, waitMs).catch((error) => {
    loading.delete(origin);
    throw error;
  });
  loading.set(origin, fresh);
  return fresh;
}

/**
 * What `YT.Player` is asked for. `host` and `origin` go together: where they do not fit, the
 * player's messages are dropped and it never gets ready.
 * @param {{id: string, start: number, host: string}} what @param {Record<string, Function>} events
 */
export const playerOptions = ({ id, start, host }, events) => ({
  ...(host ? { host } : {}),
  width: "100%",
  height: "100%",
  videoId: id,
  playerVars: {
    enablejsapi: 1, origin: location.origin, playsinline: 1, mute: 1, rel: 0, disablekb: 1,
    start: Math.max(0, Math.floor(start)),
  },
  events,
});

/** @param {string} origin @param {number} waitMs @returns {Promise<any>} */
function request(origin, waitMs) {
  const script = document.createElement("script");
  const { promise, resolve, reject } = open();
  const timer = setTimeout(() => reject(new Error("no answer")), waitMs);
  const page = /** @type {any} */ (window);
  page.onYouTubeIframeAPIReady = () => resolve(page.YT);
  script.onerror = () => reject(new Error("refused"));
  // Browsers let a second request for one address wait for the first, which may hang.
  script.src = `${origin}/iframe_api${tries ? `?try=${tries}` : ""}`;
  tries += 1;
  // A script that hangs would hold up the page's load event for minutes, even when removed.
  const ask = () => document.head.append(script);
  if (document.readyState === "complete") ask();
  else window.addEventListener("load", ask, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    script.remove();
  });
}

/** @returns {{promise: Promise<any>, resolve: (value: any) => void, reject: (error: Error) => void}} */
function open() {
  /** @type {any} */ let resolve;
  /** @type {any} */ let reject;
  const promise = new Promise((yes, no) => { resolve = yes; reject = no; });
  return { promise, resolve, reject };
}
