// @ts-check
// What a vote changes beside the item: its line in the queue, the counts, the reader's meter.

/** @param {Element | null} place @param {number} by */
function add(place, by) {
  if (place) place.textContent = String(Math.max(0, Number(place.textContent) + by));
}

/** @param {HTMLElement} root the item column, whose header tells the item's look */
function showLook(root) {
  const [icon, className, ...word] = (root.querySelector("[data-look]")?.getAttribute("data-look") ?? "").split(" ");
  const entry = document.querySelector(`[data-entry="${root.dataset.item}"]`);
  if (!entry || !icon) return null;
  entry.querySelector("use")?.setAttribute("href", `#i-${icon}`);
  entry.querySelector(".i")?.setAttribute("class", `i ${className}`);
  const text = entry.querySelector("[data-state-word]");
  if (text) {
    text.className = `push ${className}`;
    text.textContent = word.join(" ");
  }
  entry.classList.toggle("done", icon === "kept" || icon === "dropped");
  return entry;
}

/**
 * @param {HTMLElement} root
 * @param {number} change 1 where this reader's first vote came, -1 where the last one went
 */
export function showProgress(root, change) {
  const entry = showLook(root);
  if (!change) return;
  const group = entry?.closest("ul")?.previousElementSibling;
  add(group?.querySelector("[data-group-done]") ?? null, change);
  add(document.querySelector('[data-filter="todo"] [data-filter-count]'), -change);
  const tally = document.querySelector('[data-tally="you"]');
  const count = tally?.querySelector("[data-count]");
  add(count ?? null, change);
  const total = Number(document.querySelector("[data-queue]")?.getAttribute("data-total"));
  if (tally && total > 0) {
    const done = Number(count?.textContent);
    tally.querySelector("rect")?.setAttribute("width", `${(100 * done) / total}%`);
    tally.querySelector(".meter")?.setAttribute("aria-label", `You: ${done} of ${total} reviewed`);
  }
}
