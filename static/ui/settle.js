// @ts-check
// Sends an adjudicator's decision in place: its words stay until the server has taken it.
// <form class="settle"><input name="words"> <button name="action" value="keep">…
// <div data-settle-note hidden><p data-settle-said></p><button data-settle-again>…</form>

import { post } from "./http.js";
import { needsSignIn } from "./review/patient.js";
import { fieldsOf } from "./threads/send.js";

/** @param {HTMLFormElement} form @param {string} text @param {"good" | "bad"} look @param {boolean} again */
function say(form, text, look, again) {
  const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (form.querySelector(`[data-settle-${name}]`));
  part("said").textContent = text;
  part("said").className = `small ${look}`;
  part("again").hidden = !again;
  part("note").hidden = !text;
}

/**
 * @param {HTMLFormElement} form its buttons are named "action" and hide the property
 * @param {HTMLElement | null} button
 * @returns {Promise<{saved?: string, why?: string, signedOut?: boolean, lost?: boolean}>} `lost` where
 *   the same may be sent again
 */
async function send(form, button) {
  const answer = await post(form.getAttribute("action") ?? "", fieldsOf(form, button)).catch(() => null);
  if (!answer) return { lost: true, why: "Not saved: the server cannot be reached. Your words stay here." };
  const said = await answer.json().catch(() => ({}));
  if (answer.ok && said.saved) return { saved: said.saved };
  const signedOut = answer.redirected || needsSignIn({ status: answer.status, ok: false, body: said });
  if (signedOut) return { signedOut, lost: true, why: "Not saved: you are signed out. Your words stay here." };
  if (said.detail) return { why: said.detail };
  return { lost: true, why: `Not saved: the server answered ${answer.status}. Your words stay here.` };
}

/** Whether something is written that loading the page would lose. @param {HTMLElement} root */
function holdsWords(root) {
  const fields = root.querySelectorAll("[name=words], [name=text]");
  return [...fields].some((one) => /** @type {HTMLInputElement} */ (one).value.trim());
}

/** @param {HTMLElement} root @param {import("./review/door.js").Door} door */
export function sendDecisions(root, door) {
  /** @type {Map<HTMLFormElement, HTMLElement | null>} */
  const failed = new Map(); // form and the button that was pressed
  /** @param {HTMLFormElement} form */
  const again = (form) => form.requestSubmit(failed.get(form));
  const sendAll = () => [...failed.keys()].forEach(again);

  /** @param {HTMLFormElement} form @param {string} saved */
  function done(form, saved) {
    failed.delete(form);
    form.reset();
    if (!holdsWords(root)) return location.reload();
    say(form, saved, "good", false);
    form.querySelectorAll("input, button").forEach((one) => one.toggleAttribute("disabled", true));
  }

  root.addEventListener("submit", async (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (!form.matches("form.settle")) return;
    event.preventDefault();
    if (form.dataset.busy) return; // also where somebody presses twice
    form.dataset.busy = "yes";
    say(form, "", "bad", false);
    const button = /** @type {SubmitEvent} */ (event).submitter;
    const { saved, why = "", signedOut, lost = false } = await send(form, button);
    delete form.dataset.busy;
    if (saved) return done(form, saved);
    if (lost) failed.set(form, button);
    else failed.delete(form);
    say(form, why, "bad", lost);
    if (signedOut) door.ask("decision", sendAll);
  });
  root.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-settle-again]");
    if (button instanceof HTMLButtonElement && button.form) again(button.form);
  });
}
