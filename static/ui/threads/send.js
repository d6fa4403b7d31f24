// @ts-check
// Sends the forms of threads in place: what is written stays until the server has taken it.

import { post } from "../http.js";

/** @param {HTMLFormElement} form @param {HTMLElement | null} submitter */
export function fieldsOf(form, submitter) {
  const sent = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) sent.append(name, String(value));
  return sent;
}

/** @param {HTMLFormElement} form @param {string} text */
function complain(form, text) {
  const place = form.parentElement?.querySelector("[data-thread-error]") ?? form.querySelector("[data-thread-error]");
  if (!(place instanceof HTMLElement)) return;
  place.textContent = text;
  place.hidden = !text;
}

/**
 * @param {HTMLElement} root where the forms stand, also those that come later
 * @param {() => void | Promise<void>} done shows what the server has now
 * @param {(again: () => void) => void} signedOut asks to sign in again; `again` sends it
 */
export function sendThreads(root, done, signedOut) {
  root.addEventListener("submit", async (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (!form.matches("[data-thread-form]")) return;
    event.preventDefault();
    if (form.dataset.busy) return;
    form.dataset.busy = "yes"; // a press too many sends nothing twice
    complain(form, "");
    const { submitter } = /** @type {SubmitEvent} */ (event);
    const body = fieldsOf(form, submitter);
    const answer = await post(form.action, body).catch(() => null);
    delete form.dataset.busy;
    if (answer?.ok && !answer.redirected) {
      form.reset();
      return void (await done());
    }
    if (answer?.redirected) signedOut(() => form.requestSubmit(submitter)); // to the page where one signs in
    const said = await answer?.json().catch(() => ({})) ?? {};
    complain(form, answer?.redirected
      ? "Not saved: you are signed out. What you wrote stays here; sign in and send it again."
      : `Not saved: ${answer ? said.detail ?? `the server answered ${answer.status}` : "the server cannot be reached. What you wrote stays here"}.`);
  });
}

/**
 * Go to where one answers: the first thread that waits or is open, else a new one.
 * @param {ParentNode} root
 */
export function answerIn(root) {
  const open = root.querySelector("[data-thread]:not(.resolved) [data-thread-answer]");
  const fresh = root.querySelector("[data-thread-new]");
  if (!open && fresh instanceof HTMLDetailsElement) fresh.open = true;
  const field = open ?? fresh?.querySelector("[data-thread-text]");
  if (field instanceof HTMLElement) field.focus();
}

/**
 * Resolve the first open thread that this reader may settle; where none is open, reopen one.
 * @param {ParentNode} root
 */
export function settleIn(root) {
  const button = root.querySelector("[data-thread]:not(.resolved) [data-thread-settle]")
    ?? root.querySelector("[data-thread-settle]");
  if (button instanceof HTMLButtonElement) button.click();
}
