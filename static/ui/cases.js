// @ts-check
// A list of cases of which one is the current one, for keys to act on.
// <li data-… tabindex="-1"><a data-open href="…"></a></li>

/** @param {string} selector */
export function cases(selector) {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(selector)]);
  let at = 0;

  /** @param {number} place @param {boolean} [focus] */
  function show(place, focus = true) {
    if (!all.length) return;
    at = Math.min(Math.max(place, 0), all.length - 1);
    all.forEach((one, index) => {
      if (index === at) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    });
    if (!focus) return;
    all[at].focus({ preventScroll: true });
    all[at].scrollIntoView({ block: "nearest" });
  }

  for (const [index, one] of all.entries()) one.addEventListener("focusin", () => show(index, false));
  const named = all.findIndex((one) => one.id && `#${one.id}` === window.location.hash);
  show(Math.max(named, 0), named >= 0);
  return {
    all,
    /** @returns {HTMLElement | undefined} */
    get current() { return all[at]; },
    /** @param {number} by */
    move: (by) => show(at + by),
    open() {
      const link = all[at]?.querySelector("[data-open]");
      if (link instanceof HTMLAnchorElement) link.click();
    },
  };
}
