// @ts-check
/** Looks at a still: the crop that a model gets, and whether the picture goes on beyond the box. */

/** @typedef {import("./geometry.js").Box} Box */

const BRIGHT = 48; // of 255: speckle and captions are brighter, the black around the sector is not
const WIDTH = 480; // the look is taken on a small copy
const SHARE = 0.04;

/** Draw the crop of a still. @param {HTMLCanvasElement} canvas @param {HTMLImageElement | null} still @param {Box} pixels @param {{w: number, h: number}} frame */
export function drawCrop(canvas, still, pixels, frame) {
  const scale = Math.min(1, 960 / pixels.w);
  canvas.width = Math.max(1, Math.round(pixels.w * scale));
  canvas.height = Math.max(1, Math.round(pixels.h * scale));
  const context = canvas.getContext("2d");
  if (!context || !still?.naturalWidth) return;
  const x = still.naturalWidth / frame.w, y = still.naturalHeight / frame.h;
  context.drawImage(still, pixels.x * x, pixels.y * y, pixels.w * x, pixels.h * y, 0, 0, canvas.width, canvas.height);
}

/** A small grey copy of a still. @param {HTMLImageElement} still */
export function grey(still) {
  const width = WIDTH, height = Math.max(1, Math.round((WIDTH * still.naturalHeight) / still.naturalWidth));
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return { width, height, light: new Uint8Array(width * height) };
  context.drawImage(still, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const light = new Uint8Array(width * height);
  for (let n = 0; n < light.length; n += 1) light[n] = (data[n * 4] * 2 + data[n * 4 + 1] * 5 + data[n * 4 + 2]) >> 3;
  return { width, height, light };
}

/**
 * The sides at which the picture goes on beyond the box: bright on both sides of the edge along
 * a part of it. An edge on the edge of the frame has nothing beyond. Pure.
 * @param {{width: number, height: number, light: Uint8Array}} image @param {Box} box @returns {string[]}
 */
export function crossed({ width, height, light }, box) {
  const left = Math.round(box.x * width), right = Math.round((box.x + box.w) * width) - 1;
  const top = Math.round(box.y * height), bottom = Math.round((box.y + box.h) * height) - 1;
  const bright = (/** @type {number} */ x, /** @type {number} */ y) => light[y * width + x] > BRIGHT;
  const across = (/** @type {number} */ y, /** @type {number} */ beyond) =>
    beyond >= 0 && beyond < height && shareOf(left, right, (x) => bright(x, y) && bright(x, beyond)) > SHARE;
  const down = (/** @type {number} */ x, /** @type {number} */ beyond) =>
    beyond >= 0 && beyond < width && shareOf(top, bottom, (y) => bright(x, y) && bright(beyond, y)) > SHARE;
  const sides = { top: across(top, top - 2), right: down(right, right + 2), bottom: across(bottom, bottom + 2), left: down(left, left - 2) };
  return Object.entries(sides).filter(([, is]) => is).map(([name]) => name);
}

/** @param {number} from @param {number} to @param {(n: number) => boolean} is */
function shareOf(from, to, is) {
  let count = 0;
  for (let n = from; n <= to; n += 1) if (is(n)) count += 1;
  return count / Math.max(1, to - from + 1);
}
