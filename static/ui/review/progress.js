// @ts-check
// What a vote changes beside the item: its line in the queue, the counts, the reader's meter.

/** @param {Element | null} place @param {number} by */
function add(place, by) {
  if (place) place.textContent = String(Math.max(0, Number(place.textContent) + by));
}

/** @param {HTMLElement} root the item column, whose header tells the item's look */
export const lookOf = (root) => root.querySelector("[data-look]")?.getAttribute("data-look") ?? "";

/** @param {string} item @param {string} look as the header of its column tells it */
function showLook(item, look) {
  const [icon, className, ...word] = look.split(" ");
  const entry = document.querySelector(`[data-entry="${CSS.escape(item)}"]`);
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
  showElsewhere(root.dataset.item ?? "", lookOf(root), change);
  const everyone = root.querySelector("[data-everyone]")?.getAttribute("data-everyone");
  if (change && everyone) setTally("everyone", Number(everyone));
}

/** The same for a vote of another tab. @param {string} item @param {string} look @param {number} change */
export function showElsewhere(item, look, change) {
  const entry = showLook(item, look);
  if (!change) return;
  const group = entry?.closest("ul")?.previousElementSibling;
  add(group?.querySelector("[data-group-done]") ?? null, change);
  add(document.querySelector('[data-filter="todo"] [data-filter-count]'), -change);
  const you = document.querySelector('[data-tally="you"] [data-count]');
  setTally("you", Number(you?.textContent) + change);
}

/** @param {"you" | "everyone"} name @param {number} done */
function setTally(name, done) {
  const tally = document.querySelector(`[data-tally="${name}"]`);
  const count = tally?.querySelector("[data-count]");
  const meter = tally?.querySelector(".meter");
  const total = Number(tally?.getAttribute("data-total"));
  if (!count || !meter || !(total > 0)) return;
  count.textContent = String(done);
  meter.querySelector("rect")?.setAttribute("width", `${Math.min(100, (100 * done) / total)}%`);
  meter.setAttribute("aria-label", meter.getAttribute("aria-label")?.replace(/\d+ of/, `${done} of`) ?? "");
}
