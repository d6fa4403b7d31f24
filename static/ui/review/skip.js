// @ts-check
// Why an item is skipped: S opens the reasons, a digit skips for one, S again means "later".

/**
 * @param {HTMLElement} root
 * @param {{decide: () => HTMLElement, skip: (reason: string) => void}} page
 */
export function setUpSkip(root, { decide, skip }) {
  const box = () => /** @type {HTMLElement} */ (decide().querySelector("[data-skip-box]"));
  const chips = () => /** @type {HTMLElement[]} */ ([...box().querySelectorAll("[data-skip-reason]")]);
  const isOpen = () => !box().hidden;

  /** @param {boolean} open */
  function show(open) {
    box().hidden = !open;
    decide().toggleAttribute("data-skipping", open);
    decide().querySelector('[data-verdict-button="skip"]')?.setAttribute("aria-expanded", String(open));
    if (open) chips()[0]?.focus();
  }

  /** @param {string} reason */
  function choose(reason) {
    show(false);
    skip(reason);
  }

  root.addEventListener("click", (event) => {
    const chip = /** @type {Element} */ (event.target).closest("[data-skip-reason]");
    if (chip) choose(chip.getAttribute("data-skip-reason") ?? "");
  });
  root.addEventListener("keydown", (event) => {
    if (!isOpen()) return;
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (digit && !typing && chips()[Number(digit) - 1]) {
      event.preventDefault(); // before the key's other meanings
      choose(chips()[Number(digit) - 1].dataset.skipReason ?? "");
    } else if (event.key === "Escape") {
      show(false);
      /** @type {HTMLElement | null} */ (decide().querySelector('[data-verdict-button="skip"]'))?.focus();
    }
  });

  return {
    isOpen,
    close: () => isOpen() && show(false),
    /** Open the reasons; pressed again, skip for the first of them. */
    press() {
      if (isOpen()) choose(chips()[0]?.dataset.skipReason ?? "");
      else show(true);
    },
    /** @param {number} digit */
    pick(digit) {
      const chip = chips()[digit - 1];
      if (chip) choose(chip.dataset.skipReason ?? "");
    },
  };
}
