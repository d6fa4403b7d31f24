// @ts-check
// An edit that was left unsaved: offered back in the column, and told in the form that holds it.

import { html } from "../stage/dom.js";
import { draftOf, dropDraft, keepDraft, keepNow } from "./drafts.js";

/**
 * @param {HTMLElement} root @param {string} key of the reader and the item
 * @param {() => number} version the item's current one
 */
export function keptEdit(root, key, version) {
  /** @type {import("./drafts.js").Draft | null} */ let draft = null;

  function text() {
    const at = new Date(draft?.at ?? 0).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    const moved = draft?.base.version === version() ? "" : `, now is ${version()}`;
    return `Your unsaved change of ${at}, on version ${draft?.base.version}${moved}.`;
  }

  /** In the column, before the form is opened. */
  function offer() {
    const note = root.querySelector("[data-draft-offer]");
    if (!(note instanceof HTMLElement)) return;
    note.hidden = !draft;
    if (draft) /** @type {Element} */ (note.querySelector("[data-draft-text]")).textContent = text();
  }

  async function forget() {
    draft = null;
    offer();
    await dropDraft(key);
  }

  root.addEventListener("column", offer); // the column came again, with an empty note
  const ready = draftOf(key).then((found) => {
    draft = found;
    offer();
  });
  return {
    ready,
    forget,
    get draft() { return draft; },
    /** In the form. @param {HTMLElement} note @param {() => void} fresh opens the form anew */
    tell(note, fresh) {
      note.hidden = !draft;
      if (!draft) return;
      const away = html("button", { type: "button", class: "btn small" }, "Throw it away");
      away.addEventListener("click", () => forget().then(fresh));
      note.replaceChildren(html("span", { class: "grow" }, text()), away);
    },
    /** @param {{base: any, now: any, reason: string, cosmetic: boolean}} edit @param {boolean} [leaving] */
    keep(edit, leaving = false) {
      const made = { key, at: Date.now(), ...edit };
      if (leaving) keepNow(made);
      else keepDraft(made);
    },
    drop: () => dropDraft(key),
  };
}
