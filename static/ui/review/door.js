// @ts-check
/** What waits for the reader to be signed in again. */
export class Door extends EventTarget {
  /** @type {Map<string, () => unknown>} */ #waiting = new Map();

  /** @param {string} what as it is called, "box" @param {() => unknown} again sends it */
  ask(what, again) {
    this.#waiting.set(what, again);
    this.tell("signed-out", { edit: true, what });
  }

  flush() {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const again of all) again();
  }

  /** @param {string} name @param {object} detail */
  tell(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }
}
