// @ts-check
/** What waits for the reader to be signed in again. */
export class Door extends EventTarget {
  /** @type {() => unknown} */ flush = () => {};

  /** @param {() => unknown} again */
  ask(again) {
    this.flush = again;
    this.tell("signed-out", { edit: true, what: "box" });
  }

  /** @param {string} name @param {object} detail */
  tell(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }
}
