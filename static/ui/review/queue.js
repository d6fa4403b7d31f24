// @ts-check
// The queue: groups that open, the current line in view, search, and the drawer where it is narrow.

/** @param {HTMLElement} rail */
export function setUpQueue(rail) {
  const list = /** @type {HTMLElement} */ (rail.querySelector("[data-queue-list]"));
  const opener = document.querySelector("[data-queue-open]");
  const search = () => /** @type {HTMLInputElement} */ (rail.querySelector("input[type=search]"));

  /** @param {HTMLElement} button */
  async function toggle(button) {
    const open = button.getAttribute("aria-expanded") !== "true";
    const items = /** @type {HTMLElement} */ (button.nextElementSibling);
    button.setAttribute("aria-expanded", String(open));
    items.hidden = !open;
    if (!open || items.childElementCount) return;
    items.setAttribute("aria-busy", "true");
    const answer = await fetch(button.dataset.src ?? "", { credentials: "same-origin" }).catch(() => null);
    items.removeAttribute("aria-busy");
    if (answer?.ok && !answer.redirected) items.innerHTML = await answer.text();
    else button.setAttribute("aria-expanded", "false");
  }

  /** @param {boolean} open */
  function drawer(open) {
    rail.classList.toggle("is-open", open);
    opener?.setAttribute("aria-expanded", String(open));
    if (open) search().focus();
    else if (rail.contains(document.activeElement)) /** @type {HTMLElement | null} */ (opener)?.focus();
  }

  rail.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const group = target.closest("[data-group]");
    if (group) toggle(/** @type {HTMLElement} */ (group));
    else if (target.closest("[data-queue-close]")) drawer(false);
  });
  rail.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && rail.classList.contains("is-open")) drawer(false);
  });
  opener?.addEventListener("click", () => drawer(!rail.classList.contains("is-open")));

  const current = rail.querySelector("[aria-current=true][data-entry]");
  if (current) {
    const away = current.getBoundingClientRect().top - list.getBoundingClientRect().top;
    list.scrollTop += away - list.clientHeight / 3;
  }

  return {
    search() {
      if (opener && getComputedStyle(opener).display !== "none") drawer(true);
      search().focus();
      search().select();
    },
  };
}
