// @ts-check
// Answering before the key is shown: an option or a text is chosen, then sent. What was sent goes
// through the outbox like a vote; when the server has it, the column comes again with the key.

import { registerLayer } from "../keys.js";
import { answerForm } from "./answer_form.js";
import { newId, waiting } from "./outbox.js";

const ANSWER = "answer";
const UNDO = "undo of the answer";

/**
 * @param {HTMLElement} root
 * @param {{sender: import("./sender.js").Sender, time: {seconds: number},
 *   column: {decide: () => HTMLElement, refresh: (opening: boolean) => Promise<void>}}} page
 */
export function setUpAnswers(root, { sender, time, column }) {
  const user = Number(root.dataset.user);
  const form = answerForm(root, column.decide);
  let kept = ""; // id of the answer that is on its way
  const isSealed = () => column.decide().hasAttribute("data-sealed");
  const isOpen = () => isSealed() && !kept && !column.decide().hasAttribute("data-taken");

  /** @param {string} id @param {"PUT" | "DELETE"} method @param {object} [body] */
  const send = (id, method, body) => sender.add({
    id, user, method, body, what: method === "PUT" ? ANSWER : UNDO, item: root.dataset.item ?? "",
    page: location.pathname, url: `${root.dataset.answers}${id}/`, at: Date.now(),
  });

  async function give() {
    const said = isOpen() ? form.said() : null;
    if (!said) return;
    kept = newId();
    form.lock(true);
    const version = Number(column.decide().dataset.version);
    await send(kept, "PUT", { version, reader: user, active_seconds: time.seconds, ...said });
    form.forget();
  }

  /** Take back what the server has not shown the key for; say whether there was such an answer. */
  function undo() {
    if (!isSealed() || !kept) return false;
    send(kept, "DELETE");
    kept = "";
    form.lock(false);
    return true;
  }

  /** The server has the answer: the key may be shown. Where it cannot be fetched the answer stays
   * locked, and the next load of the page shows both. */
  async function open() {
    await column.refresh(false);
    if (isSealed()) return;
    kept = "";
    const stage = /** @type {any} */ (document.querySelector("[data-stage]"))?.stage;
    const log = JSON.parse(root.querySelector("#opened-events")?.textContent ?? "null");
    if (log) stage?.openLog(log.events, log.closed);
    /** @type {HTMLElement | null} */ (root.querySelector("[data-answered]"))?.focus();
  }

  // What was taken back meanwhile opens nothing: its undo is still on its way.
  sender.addEventListener("saved", (event) => {
    if (kept && /** @type {CustomEvent} */ (event).detail.entry.id === kept) open();
  });
  sender.addEventListener("refused", (event) => {
    const { entry } = /** @type {CustomEvent} */ (event).detail;
    if (entry.id !== kept) return;
    kept = "";
    form.keep(entry.body.text ?? "");
    form.lock(false);
  });
  root.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const option = target.closest("[data-answer-option]");
    if (option && isOpen()) form.press(option);
    else if (target.closest("[data-answer-none]") && isOpen()) form.press(target.closest("[data-answer-none]"));
    else if (target.closest("[data-answer-send]")) give();
    else if (target.closest("[data-answer-undo]")) undo();
  });
  root.addEventListener("keydown", (event) => {
    if (!form.isText(event.target) || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    give();
  });

  /** A second press of the same key sends. @param {Element | null | undefined} button */
  function strike(button) {
    if (!button || !isOpen()) return;
    if (button.getAttribute("aria-pressed") === "true") give();
    else form.press(button);
  }
  registerLayer(() => form.keys(strike, give), isSealed);

  waiting(user).then((entries) => {
    const own = entries.filter((entry) => entry.item === root.dataset.item);
    const answer = own.filter((entry) => entry.what === ANSWER).at(-1);
    const isBack = own.some((entry) => entry.what === UNDO && entry.id === answer?.id);
    if (answer && !isBack && isSealed()) {
      kept = answer.id;
      form.show(/** @type {any} */ (answer.body));
      form.lock(true);
    } else form.restore();
  });
  return {
    isSealed, undo, restore: form.restore,
    couldNotTell: () => strike(column.decide().querySelector("[data-answer-none]")),
  };
}
