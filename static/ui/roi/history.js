// @ts-check
/** The boxes before this one. A row of small steps (a held key) is one step back. Pure. */
const ROW_MS = 800;
const DEPTH = 200;

/** @template T @typedef {{past: T[], now: T, mark: string, at: number}} History */

/** @template T @param {T} now @returns {History<T>} */
export const begin = (now) => ({ past: [], now, mark: "", at: 0 });

/** @template T @param {History<T>} history @param {T} next @param {string} mark steps of one mark make a row @param {number} at ms @returns {History<T>} */
export function step(history, next, mark, at) {
  const soon = at - history.at < ROW_MS || mark.startsWith("drag"); // a drag is one step however long
  const inRow = mark !== "" && mark === history.mark && soon;
  const past = inRow ? history.past : [...history.past, history.now].slice(-DEPTH);
  return { past, now: next, mark, at };
}

/** @template T @param {History<T>} history @returns {History<T>} */
export function back(history) {
  if (history.past.length === 0) return history;
  return { past: history.past.slice(0, -1), now: history.past[history.past.length - 1], mark: "", at: 0 };
}
