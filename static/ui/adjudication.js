// @ts-check
// Keys of the adjudication page: one case is the current one, and a key decides it.
// <ol data-cases><li data-case><a data-open></a><form><input name="words">
// <button name="action" value="keep">…</form></li></ol> <form data-undo-form>…</form>

import { cases } from "./cases.js";
import { register } from "./keys.js";
import { Door } from "./review/door.js";
import { setUpSignIn } from "./review/sign_in.js";
import { sendDecisions } from "./settle.js";
import { answerIn, sendThreads, settleIn } from "./threads/send.js";

const list = cases("[data-case]");
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const door = new Door();
setUpSignIn(main, door);
sendThreads(main, () => location.reload(), (again) => door.ask("thread", again));
sendDecisions(main, door);

function words() {
  return /** @type {HTMLInputElement | null} */ (list.current?.querySelector("[name=words]") ?? null);
}

/**
 * Press a button of the current case. Without words the browser asks for them in the field.
 * @param {string} action
 */
function settle(action) {
  const button = list.current?.querySelector(`button[value=${action}]`);
  if (button instanceof HTMLButtonElement && !button.disabled) button.form?.requestSubmit(button);
}

function undo() {
  const form = document.querySelector("[data-undo-form]");
  if (form instanceof HTMLFormElement) form.requestSubmit();
}

// Enter in the field would press the first button, and keep an item that nobody decided on.
document.addEventListener("keydown", (event) => {
  const field = event.target instanceof HTMLInputElement && event.target.name === "words";
  if (field && event.key === "Enter") {
    event.preventDefault();
    /** @type {HTMLInputElement} */ (event.target).blur();
    list.current?.focus({ preventScroll: true });
  }
});

const group = "Decide";
register([
  { group, keys: ["KeyK"], label: "keep", run: () => settle("keep") },
  { group, keys: ["KeyX"], label: "drop", run: () => settle("drop") },
  { group, keys: ["KeyR"], label: "return to the readers with a question", run: () => settle("return") },
  { group, keys: ["KeyC"], label: "write the reason or question; Enter leaves it", run: () => words()?.focus() },
  { group, keys: ["KeyZ"], label: "take the last decision back", run: undo },
  { group: "Threads", keys: ["KeyA"], label: "ask or answer in a thread", run: () => list.current && answerIn(list.current) },
  { group: "Threads", keys: ["KeyD"], label: "resolve or reopen a thread", run: () => list.current && settleIn(list.current) },
  { group: "Elsewhere", keys: ["KeyN"], label: "next item", repeat: true, run: () => list.move(1) },
  { group: "Elsewhere", keys: ["KeyJ"], label: "previous item", repeat: true, run: () => list.move(-1) },
  { group: "Elsewhere", keys: ["KeyO"], label: "open the item in review", run: list.open },
]);
