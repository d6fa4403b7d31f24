// @ts-check
// The sign-in page asks whether this network lets YouTube through: <div data-youtube-test> names
// the origins of its script and its frame, and is shown when one of them cannot be reached.
// Nothing waits for the answer, no script of YouTube runs, and no address of ours is told to it.

const PATIENCE = 10_000; // milliseconds

/**
 * Not from the cache: an icon from yesterday says nothing about this network.
 * @param {string} origin
 */
const icon = (origin) => `${origin}/favicon.ico?${Date.now()}`;

/**
 * An icon that is no picture (a proxy's page) is as bad as none.
 * @param {string} origin
 * @returns {Promise<void>}
 */
function fetchIcon(origin) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.referrerPolicy = "no-referrer";
    image.addEventListener("load", () => resolve());
    image.addEventListener("error", reject);
    image.src = icon(origin);
  });
}

/**
 * Whether anything answers there; what it says is not to be read by us.
 * @param {string} origin
 */
function reach(origin) {
  return fetch(icon(origin), {
    mode: "no-cors",
    credentials: "omit",
    referrerPolicy: "no-referrer",
  });
}

/** @returns {Promise<never>} */
function tooLate() {
  return new Promise((_, reject) => setTimeout(reject, PATIENCE));
}

const warning = document.querySelector("[data-youtube-test]");
if (warning instanceof HTMLElement) {
  const { script = "", frame = "" } = warning.dataset;
  const answers = Promise.all([fetchIcon(script), reach(frame)]);
  Promise.race([answers, tooLate()])
    .then(() => (warning.dataset.youtubeTest = "reached"))
    .catch(() => {
      warning.dataset.youtubeTest = "blocked";
      warning.hidden = false;
    });
}
