// @ts-check
// The adjudicator's buttons, where two votes contradict each other.

import { sendJson } from "../http.js";
import { reasonOf } from "./refused.js";

/**
 * @param {HTMLElement} root
 * @param {{decide: () => HTMLElement, refresh: (opening: boolean) => Promise<number>}} column
 * @param {(at: string) => void} saved
 */
export function setUpDecision(root, column, saved) {
  root.addEventListener("click", async (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-decide-keep]");
    const url = button?.closest("[data-decision]")?.getAttribute("data-decision");
    if (!button || !url) return;
    const comment = /** @type {HTMLInputElement} */ (root.querySelector("[data-comment]")).value;
    const answer = await sendJson("PUT", url, {
      version: Number(column.decide().dataset.version),
      keep: button.getAttribute("data-decide-keep") === "true",
      reason: comment.slice(0, 500),
      reader: Number(root.dataset.user),
    }).catch(() => null);
    const problem = await answer?.json().catch(() => ({})) ?? { detail: "The server cannot be reached." };
    if (answer?.ok) saved(problem.saved_at);
    await column.refresh(false);
    const note = /** @type {HTMLElement | null} */ (root.querySelector("[data-conflict]"));
    const text = note?.querySelector("div");
    if (answer?.ok || !note || !text) return;
    text.textContent = `The decision was not saved. ${reasonOf(problem)}`;
    note.hidden = false;
  });
}
