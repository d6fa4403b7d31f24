// @ts-check
// <details class="menu">: closes on Esc, on a click outside and when the focus leaves it.

export function setUpMenus() {
  for (const menu of document.querySelectorAll("details.menu")) {
    if (!(menu instanceof HTMLDetailsElement)) continue;
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      event.preventDefault();
      menu.open = false;
      menu.querySelector("summary")?.focus();
    });
    menu.addEventListener("focusout", (event) => {
      if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) {
        menu.open = false;
      }
    });
  }
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (event.target instanceof Node && !menu.contains(event.target)) {
        /** @type {HTMLDetailsElement} */ (menu).open = false;
      }
    }
  });
}
