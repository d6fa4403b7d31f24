// @ts-check
/** Where a picture and its ROI stand in a box: pure geometry in CSS pixels. */

/** @typedef {{x: number, y: number, w: number, h: number}} Rect */

/** The largest rectangle of a shape inside a box, centred: what letterboxing leaves. @param {number} boxW @param {number} boxH @param {number} shape width / height @returns {Rect} */
export function fit(boxW, boxH, shape) {
  const w = Math.min(boxW, boxH * shape), h = w / shape;
  return { x: (boxW - w) / 2, y: (boxH - h) / 2, w, h };
}

/**
 * The frame that shows only the ROI, as large as the box allows, and the whole picture inside
 * that frame.
 * @param {number} boxW @param {number} boxH @param {{w: number, h: number}} media @param {Rect} roi fractions
 * @returns {{frame: Rect, picture: Rect}} `picture` is relative to `frame`
 */
export function cropped(boxW, boxH, media, roi) {
  const frame = fit(boxW, boxH, (media.w * roi.w) / (media.h * roi.h));
  const w = frame.w / roi.w, h = frame.h / roi.h;
  return { frame, picture: { x: -roi.x * w, y: -roi.y * h, w, h } };
}

/** Put an element at a place, through the CSSOM: the policy allows no style attributes. @param {HTMLElement} element @param {Rect | null} rect */
export function place(element, rect) {
  const px = (/** @type {number | undefined} */ value) => (value === undefined ? "" : `${value}px`);
  Object.assign(element.style, {
    left: px(rect?.x), top: px(rect?.y), width: px(rect?.w), height: px(rect?.h),
  });
}
