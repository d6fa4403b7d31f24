// @ts-check
// An edit that is not saved yet, one for each reader and item: in the browser's database, where it
// outlives a crash, and, when the page goes away in mid-writing, in the tab's own store, which is
// written at once.

import { DRAFTS, inStore } from "./store.js";

/**
 * @typedef {{key: string, at: number, base: any, now: any, reason: string, cosmetic: boolean}} Draft
 *   `base` is the content that was edited, with its version; `now` what stands in the form.
 */

const mirror = (/** @type {string} */ key) => `draft/${key}`;

/** @param {Draft} draft */
export function keepDraft(draft) {
  return inStore(DRAFTS, "readwrite", (store) => store.put(draft)).then(() => undefined, () => keepNow(draft));
}

/**
 * For the last moment of a page, and where there is no database.
 * @param {Draft} draft
 */
export function keepNow(draft) {
  try {
    sessionStorage.setItem(mirror(draft.key), JSON.stringify(draft));
  } catch {
    // full or forbidden: the database has it
  }
}

/** @param {string} key @returns {Promise<Draft | null>} */
export async function draftOf(key) {
  /** @type {Draft | null} */
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(mirror(key)) ?? "null");
  } catch {
    // not ours
  }
  const stored = await inStore(DRAFTS, "readonly", (store) => store.get(key)).catch(() => null);
  return (kept?.at ?? 0) > (stored?.at ?? 0) ? kept : stored ?? kept;
}

/** @param {string} key */
export async function dropDraft(key) {
  sessionStorage.removeItem(mirror(key));
  await inStore(DRAFTS, "readwrite", (store) => store.delete(key)).catch(() => undefined);
}
