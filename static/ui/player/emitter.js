// @ts-check
/** The smallest event emitter: `on` returns the function that takes the listener off again. */
export class Emitter {
  /** @type {Map<string, Set<(value: any) => void>>} */
  #listeners = new Map();

  /** @param {string} name @param {(value: any) => void} listener @returns {() => void} */
  on(name, listener) {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set.add(listener));
    return () => set.delete(listener);
  }

  /** @param {string} name @param {any} [value] */
  emit(name, value) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(value);
  }

  clear() {
    this.#listeners.clear();
  }
}
