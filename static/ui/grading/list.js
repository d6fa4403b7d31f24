// @ts-check
// The grader's list beside the clip: the present line in view, its word after a grade, the drawer
// where it is narrow.

/** @param {string} answer the answer that is open */
export function setUpList(answer) {
  const rail = /** @type {HTMLElement} */ (document.querySelector("[data-queue]"));
  const opener = document.querySelector("[data-queue-open]");
  const line = rail.querySelector(`[data-entry="${answer}"]`);
  const count = document.querySelector('[data-tally="you"] [data-count]');
  let done = line?.classList.contains("done") ?? false;

  /** @param {boolean} open */
  function drawer(open) {
    rail.classList.toggle("is-open", open);
    opener?.setAttribute("aria-expanded", String(open));
    /** @type {HTMLElement | null} */ (open ? rail.querySelector("[data-queue-close]") : opener)?.focus();
  }
  opener?.addEventListener("click", () => drawer(!rail.classList.contains("is-open")));
  rail.querySelector("[data-queue-close]")?.addEventListener("click", () => drawer(false));

  const box = /** @type {HTMLElement} */ (rail.querySelector("[data-queue-list]"));
  if (line) {
    const away = line.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.scrollTop += away - box.clientHeight / 3;
  }

  return {
    /** @param {string} word @param {boolean} graded */
    note(word, graded) {
      const place = line?.querySelector("[data-state-word]");
      if (place) place.textContent = word;
      line?.classList.toggle("done", graded);
      if (count) count.textContent = String(Number(count.textContent?.replace(/\D/g, "")) + Number(graded) - Number(done));
      done = graded;
    },
  };
}
