// @ts-check
// The guidelines beside the item: at the top of the queue where it stands open, so that they lie
// over nothing; where the queue is a drawer, the link leads to their page.

export function setUpGuide() {
  const link = /** @type {HTMLAnchorElement} */ (document.querySelector("[data-guide-open]"));
  const place = /** @type {HTMLElement} */ (document.querySelector("[data-guide]"));
  link.setAttribute("aria-expanded", "false");

  async function fill() {
    place.setAttribute("aria-busy", "true");
    const answer = await fetch(`${link.href}?part`, { credentials: "same-origin" }).catch(() => null);
    place.removeAttribute("aria-busy");
    if (!answer?.ok || answer.redirected) return false;
    place.innerHTML = await answer.text(); // cleaned by the server
    return true;
  }

  async function toggle() {
    const isDrawer = document.querySelector("[data-queue-open]")?.checkVisibility();
    if (isDrawer || (place.hidden && !place.childElementCount && !(await fill()))) {
      location.assign(link.href);
      return;
    }
    place.hidden = !place.hidden;
    link.setAttribute("aria-expanded", String(!place.hidden));
    (place.hidden ? link : place).focus();
  }

  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    toggle();
  });
  return { toggle };
}
