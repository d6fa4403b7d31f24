// @ts-check
// What the reader decided and the server has not answered yet, kept in this browser (IndexedDB):
// it outlives a dead network, a closed tab and an expired login. Entries go out in order.

import { inStore, OUTBOX } from "./store.js";

/**
 * @typedef {{seq?: number, id: string, user: number, item: string, page: string, what: string,
 *   method: "PUT" | "DELETE", url: string, body?: object, at: number}} Entry
 *   `what` says in words what it is; `page` is where the reader decided it.
 */

/** Where the browser has no database (some private modes), the page's memory has to do. */
/** @type {Entry[]} */
let memory = [];
let memorySeq = 0;

/**
 * Keep an entry; it is safe once this has resolved.
 * @param {Entry} entry
 */
export async function keep(entry) {
  try {
    await inStore(OUTBOX, "readwrite", (store) => store.add(entry));
  } catch {
    memorySeq -= 1; // negative, so that it meets no number of the database
    memory.push({ ...entry, seq: memorySeq });
  }
}

/**
 * What waits of this reader, the oldest first.
 * @param {number} user
 * @returns {Promise<Entry[]>}
 */
export async function waiting(user) {
  /** @type {Entry[]} */
  let stored = [];
  try {
    stored = await inStore(OUTBOX, "readonly", (store) => store.getAll());
  } catch {
    // memory alone
  }
  return [...stored, ...memory].filter((entry) => entry.user === user);
}

/**
 * Forget an entry that the server has answered.
 * @param {Entry} entry
 */
export async function forget(entry) {
  const seq = /** @type {number} */ (entry.seq);
  memory = memory.filter((other) => other.seq !== seq);
  if (seq > 0) await inStore(OUTBOX, "readwrite", (store) => store.delete(seq)).catch(() => undefined);
}

/** How many of what wait, in words. @param {Entry[]} entries */
export function counted(entries) {
  const kinds = new Set(entries.map(kindOf));
  const name = kinds.size === 1 ? [...kinds][0] : "decision";
  return `${entries.length} ${name}${entries.length === 1 ? "" : "s"}`;
}

/** @param {Entry} entry */
function kindOf(entry) {
  if (entry.url.includes("/grades/")) return "grade";
  return entry.url.includes("/answers/") ? "answer" : "vote";
}

/** A version 4 UUID, also where crypto.randomUUID is missing (plain http on a network). */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
