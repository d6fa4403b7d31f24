// @ts-check
// One answer of a run beside its table: loaded from the address of its own page, with the focus
// kept inside while it is open and given back to its row. Esc closes it, as every dialog.
// HTML: <dialog data-drawer> with [data-drawer-title|body|page|close|step="1"], and rows
// <tr data-row><a data-open="PLACE" href="…">.

import { register } from "../keys.js";

const MISSING = "This answer could not be loaded. Try again, or open it as a page.";

/** @param {HTMLDialogElement} drawer @param {HTMLElement} page */
export function setUpDrawer(drawer, page) {
  const title = /** @type {HTMLElement} */ (drawer.querySelector("[data-drawer-title]"));
  const body = /** @type {HTMLElement} */ (drawer.querySelector("[data-drawer-body]"));
  const asPage = /** @type {HTMLAnchorElement} */ (drawer.querySelector("[data-drawer-page]"));
  let place = "";
  let asked = 0;

  const links = () =>
    /** @type {HTMLAnchorElement[]} */ ([...page.querySelectorAll("[data-row] a[data-open]")]);
  const linkOf = (/** @type {string} */ wanted) =>
    links().find((link) => link.dataset.open === wanted);

  /** @param {HTMLAnchorElement} link */
  async function show(link) {
    place = link.dataset.open ?? "";
    const mine = ++asked;
    mark();
    asPage.href = link.href;
    title.textContent = link.textContent ?? "";
    body.setAttribute("aria-busy", "true");
    if (!drawer.open) drawer.showModal();
    title.focus();
    const html = await load(link.href);
    if (mine !== asked) return; // another row was asked for meanwhile
    body.removeAttribute("aria-busy");
    if (html === null) body.textContent = MISSING;
    else body.innerHTML = html;
    drawer.scrollTop = 0;
  }

  function mark() {
    for (const link of links()) {
      link.closest("tr")?.toggleAttribute("data-current", link.dataset.open === place);
    }
  }

  /** @param {number} by */
  function step(by) {
    const all = links();
    const focused = all.findIndex((link) => link === document.activeElement);
    const at = drawer.open || focused < 0 ? all.findIndex((link) => link.dataset.open === place) : focused;
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by];
    if (!next) return;
    if (drawer.open) {
      show(next);
      return;
    }
    place = next.dataset.open ?? "";
    mark();
    next.focus({ preventScroll: true });
    next.closest("tr")?.scrollIntoView({ block: "nearest" });
  }

  page.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[data-open]") : null;
    const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!(link instanceof HTMLAnchorElement) || !plain || event.button !== 0) return;
    event.preventDefault();
    show(link);
  });
  drawer.addEventListener("click", (event) => {
    const pressed = event.target instanceof Element ? event.target.closest("button") : null;
    if (pressed?.dataset.drawerStep) step(Number(pressed.dataset.drawerStep));
    else if (pressed?.hasAttribute("data-drawer-close") || event.target === drawer) drawer.close();
  });
  drawer.addEventListener("close", () => {
    asked += 1;
    body.replaceChildren(); // a film must not play on
    const row = linkOf(place) ?? page.querySelector("#items h2");
    if (row instanceof HTMLElement) row.focus();
  });

  const group = "Items";
  register([
    { group, keys: ["KeyN", "ArrowDown"], label: "next row", repeat: true, drawer: true, run: () => step(1) },
    { group, keys: ["KeyJ", "ArrowUp"], label: "previous row", repeat: true, drawer: true, run: () => step(-1) },
  ]);
  return { mark };
}

/** @param {string} address @returns {Promise<string | null>} */
async function load(address) {
  const url = new URL(address);
  url.searchParams.set("fragment", "1");
  try {
    const response = await fetch(url, { credentials: "same-origin" });
    return response.ok && !response.redirected ? await response.text() : null;
  } catch {
    return null;
  }
}
