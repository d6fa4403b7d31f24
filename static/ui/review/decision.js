// @ts-check
// The adjudicator's buttons, where two votes contradict each other.

import { sendJson } from "../http.js";
import { needsSignIn } from "./patient.js";
import { reasonOf } from "./refused.js";

/**
 * @typedef {{url: string, body: {version: number, keep: boolean, reason: string, reader: number}}} Decision
 * @param {HTMLElement} root
 * @param {{decide: () => HTMLElement, refresh: (opening: boolean) => Promise<number>}} column
 * @param {{saved: (at: string) => void, signedOut: () => void}} told
 */
export function setUpDecision(root, column, { saved, signedOut }) {
  const comment = () => /** @type {HTMLInputElement} */ (root.querySelector("[data-comment]"));
  /** @type {Decision | null} */
  let waiting = null; // for the reader to be signed in again

  /** @param {Decision} decision */
  async function send(decision) {
    waiting = null;
    const written = comment().value;
    const answer = await sendJson("PUT", decision.url, decision.body).catch(() => null);
    const problem = await answer?.json().catch(() => ({ status: answer.status }))
      ?? { detail: "The server cannot be reached. Your comment stays here." };
    if (answer?.ok) saved(problem.saved_at);
    await column.refresh(false);
    if (answer?.ok) return;
    comment().value ||= written;
    const isOut = Boolean(answer && needsSignIn({ status: answer.status, ok: false, body: problem }));
    const isStale = problem.type === "urn:sonovqa:stale"; // to be read again before it is decided
    complain(`The decision was not saved. ${reasonOf(problem)}`, isStale ? null : decision);
    if (!isOut) return;
    waiting = decision;
    signedOut();
  }

  /** @param {string} text @param {Decision | null} again what may be sent again as it is */
  function complain(text, again) {
    const note = /** @type {HTMLElement | null} */ (root.querySelector("[data-conflict]"));
    const place = note?.querySelector("div");
    if (!note || !place) return;
    place.replaceChildren(text);
    note.hidden = false;
    if (!again) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn small";
    button.textContent = "Send again";
    button.addEventListener("click", () => {
      note.hidden = true;
      void send({ ...again, body: { ...again.body, reason: reason() } });
    });
    place.append(" ", button);
  }

  const reason = () => comment().value.slice(0, 500);

  root.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-decide-keep]");
    const url = button?.closest("[data-decision]")?.getAttribute("data-decision");
    if (!button || !url) return;
    const body = {
      version: Number(column.decide().dataset.version),
      keep: button.getAttribute("data-decide-keep") === "true",
      reason: reason(),
      reader: Number(root.dataset.user),
    };
    void send({ url, body });
  });
  return {
    signedIn() {
      if (waiting) void send(waiting);
    },
  };
}
