// @ts-check
// The database of this browser (IndexedDB): what waits to be sent, and edits that are not saved.

const NAME = "sonovqa";
export const OUTBOX = "outbox";
export const DRAFTS = "drafts";

/** @type {Promise<IDBDatabase | null> | null} */
let opened = null;

/** Resolves to null where the browser has none (some private modes). */
function open() {
  opened ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(NAME, 2);
      request.onupgradeneeded = () => {
        const has = request.result.objectStoreNames;
        if (!has.contains(OUTBOX)) request.result.createObjectStore(OUTBOX, { keyPath: "seq", autoIncrement: true });
        if (!has.contains(DRAFTS)) request.result.createObjectStore(DRAFTS, { keyPath: "key" });
      };
      request.onsuccess = () => {
        request.result.onversionchange = () => request.result.close(); // a newer page upgrades it
        resolve(request.result);
      };
      request.onerror = () => resolve(null);
      request.onblocked = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
  return opened;
}

/**
 * @template T
 * @param {string} name
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T>}
 */
export async function inStore(name, mode, act) {
  const database = await open();
  if (!database) throw new Error("no database in this browser");
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(name, mode);
    const request = act(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}
