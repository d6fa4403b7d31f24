// @ts-check
// The item column: fetched again from the server after a vote, for the server decides what is
// open now. Focus and a half-typed comment stay.

import { localClocks } from "../local_clock.js";
import { loadIncludes } from "./include.js";
import { waiting } from "./outbox.js";
import { showProgress } from "./progress.js";

/** @param {HTMLElement} root */
export function setUpColumn(root) {
  /** @returns {HTMLElement} */
  const decide = () => /** @type {HTMLElement} */ (root.querySelector("[data-decide]"));
  /** What the server does not know yet it cannot show: the column comes when that is saved too. */
  const isBehind = async () =>
    (await waiting(Number(root.dataset.user))).some((entry) => entry.item === root.dataset.item);
  let wanted = 0;
  let voted = Boolean(decide().dataset.voteId); // as the server knows it

  /**
   * @param {boolean} opening whether the evidence opens with this
   * @returns {Promise<number>} 1 where the reader's first vote came, -1 where the last one went
   */
  async function refresh(opening) {
    const mine = ++wanted;
    const answer = await fetch(root.dataset.column ?? "", { credentials: "same-origin" }).catch(() => null);
    if (!answer?.ok || answer.redirected) return 0;
    const text = await answer.text();
    if (await isBehind()) return 0;
    if (mine !== wanted || root.querySelector("[data-edit]:not([hidden])")) return 0;
    const back = focusKept(root);
    // A browser fires "change" on a field that is taken away while it is typed in: that is no vote.
    root.toggleAttribute("data-replacing", true);
    root.innerHTML = text; // our own template, escaped by the server
    root.toggleAttribute("data-replacing", false);
    localClocks(root);
    back();
    if (opening) root.querySelector("[data-evidence]")?.classList.add("opening");
    const had = voted;
    voted = Boolean(decide().dataset.voteId);
    const change = Number(voted) - Number(had);
    showProgress(root, change);
    root.dispatchEvent(new CustomEvent("column"));
    await loadIncludes(root);
    return change;
  }
  loadIncludes(root);
  return { decide, refresh };
}

/**
 * Remember where the focus is and what is being typed; the function returned puts it back.
 * @param {HTMLElement} root
 */
function focusKept(root) {
  const active = document.activeElement;
  const comment = /** @type {HTMLInputElement | null} */ (root.querySelector("[data-comment]"));
  const typing = comment && active === comment ? { text: comment.value, at: comment.selectionStart } : null;
  const marks = ["data-go", "data-verdict-button", "data-undo", "data-reason", "data-edit-open"];
  const mark = marks.find((name) => root.contains(active) && active?.hasAttribute(name));
  const value = mark ? active?.getAttribute(mark) : "";
  return () => {
    const field = /** @type {HTMLInputElement | null} */ (root.querySelector("[data-comment]"));
    if (typing && field) {
      field.value = typing.text;
      field.focus();
      field.setSelectionRange(typing.at, typing.at);
    } else if (mark) {
      const again = root.querySelector(`[${mark}="${CSS.escape(value ?? "")}"]`);
      /** @type {HTMLElement | null} */ (again)?.focus({ preventScroll: true });
    }
  };
}
