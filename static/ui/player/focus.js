// @ts-check
/**
 * Gives the focus back when a frame inside `box` takes it: keys would go to the frame's page,
 * where no handler of ours hears them. A click on the frame still does what the frame does.
 */

/** @param {HTMLElement} box @returns {() => void} ends the watch */
export function keepFocus(box) {
  const off = new AbortController();
  /** @type {Element | null} */ let last = outside(box, document.activeElement);
  document.addEventListener("focusin", (event) => {
    last = outside(box, /** @type {Element} */ (event.target)) ?? last;
  }, { signal: off.signal });
  window.addEventListener("blur", () => setTimeout(() => giveBack(box, last)), { signal: off.signal });
  // A frame that takes the focus from another frame makes no event in this window.
  const timer = setInterval(() => giveBack(box, last), 500);
  return () => { off.abort(); clearInterval(timer); };
}

/** @param {HTMLElement} box @param {Element | null} element */
const outside = (box, element) =>
  element && element !== document.body && !box.contains(element) ? element : null;

/** @param {HTMLElement} box @param {Element | null} last */
function giveBack(box, last) {
  const taker = document.activeElement;
  if (!(taker instanceof HTMLIFrameElement) || !box.contains(taker)) return;
  taker.blur();
  window.focus();
  if (last instanceof HTMLElement || last instanceof SVGElement) last.focus({ preventScroll: true });
}
