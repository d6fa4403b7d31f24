// @ts-check
// The decision bar: keep, drop with reasons, unsure, skip, comment, undo. What is pressed shows at
// once; the vote goes to the outbox, and the column comes again when the server has answered.

import { newId } from "./outbox.js";
import { setUpSkip } from "./skip.js";

const WORDS = { keep: ["Keep", "Kept"], drop: ["Drop", "Dropped"] };

/**
 * @param {HTMLElement} root
 * @param {{sender: import("./sender.js").Sender, time: {seconds: number},
 *   decide: () => HTMLElement, goOn: () => void}} page
 */
export function setUpVotes(root, { sender, time, decide, goOn }) {
  const user = Number(root.dataset.user);
  const draft = `comment/${user}/${root.dataset.item}`;
  const lastPage = `last-vote/${user}`;
  const comment = () => /** @type {HTMLInputElement | null} */ (root.querySelector("[data-comment]"));
  const isTaken = () => decide().hasAttribute("data-taken"); // it is another reader's turn
  const mayVote = (/** @type {string} */ verdict) =>
    !isTaken() && (verdict === "skip" || !decide().hasAttribute("data-sealed"));
  const skipping = setUpSkip(root, { decide, skip: (reason) => vote("skip", [], reason) });
  const reasons = () => (decide().dataset.reasons ?? "").split(" ").filter(Boolean).map(Number);

  /** @param {string} id @param {"PUT" | "DELETE"} method @param {string} what @param {object} [body] */
  const send = (id, method, what, body) => sender.add({
    id, user, method, what, body, item: root.dataset.item ?? "", page: location.pathname,
    url: `${root.dataset.votes}${id}/`, at: Date.now(),
  });

  /** @param {string} verdict @param {number[]} why @param {string} id */
  function show(verdict, why, id) {
    const bar = decide();
    Object.assign(bar.dataset, { verdict, voteId: id, reasons: why.join(" ") });
    for (const button of bar.querySelectorAll("[data-verdict-button]")) {
      button.setAttribute("aria-pressed", String(button.getAttribute("data-verdict-button") === verdict));
      button.removeAttribute("data-armed");
      const words = WORDS[/** @type {keyof typeof WORDS} */ (button.getAttribute("data-verdict-button"))];
      const isIt = button.getAttribute("data-verdict-button") === verdict;
      if (words) /** @type {Element} */ (button.querySelector("span")).textContent = words[Number(isIt)];
    }
    for (const chip of bar.querySelectorAll("[data-reason]")) {
      chip.setAttribute("aria-pressed", String(why.includes(Number(chip.getAttribute("data-reason")))));
    }
    /** @type {HTMLButtonElement} */ (bar.querySelector("[data-undo]")).disabled = !id;
    const next = /** @type {HTMLElement} */ (bar.querySelector('[data-go="open"]'));
    next.hidden = !id;
    bar.querySelector("[data-conflict]")?.setAttribute("hidden", "");
  }

  /** @param {string} verdict @param {number[]} [why] @param {string} [reason] of a skip */
  async function vote(verdict, why = [], reason = "") {
    if (!mayVote(verdict)) return;
    skipping.close();
    const id = newId();
    const field = comment();
    const typing = field !== null && document.activeElement === field;
    const body = {
      version: Number(decide().dataset.version), verdict, reasons: why, skip_reason: reason, reader: user,
      comment: field?.value.trim() ?? "", active_seconds: time.seconds,
    };
    if (verdict !== "skip") {
      show(verdict, why, id);
      if (!typing) /** @type {HTMLElement} */ (decide().querySelector('[data-go="open"]')).focus();
      if (field) field.defaultValue = field.value;
    }
    sessionStorage.setItem(lastPage, location.pathname);
    await send(id, "PUT", verdict, body);
    sessionStorage.removeItem(draft);
    if (verdict === "skip") goOn();
  }

  /** @param {number} digit */
  function drop(digit) {
    if (skipping.isOpen()) return skipping.pick(digit);
    const had = decide().dataset.verdict === "drop" ? reasons() : [];
    const why = had.includes(digit) ? had.filter((one) => one !== digit) : [...had, digit];
    if (why.length) vote("drop", why.sort());
  }

  function arm() {
    skipping.close();
    const button = decide().querySelector('[data-verdict-button="drop"]');
    if (!button) return;
    const armed = button.toggleAttribute("data-armed");
    const hint = decide().querySelector("[data-reasons-hint]");
    if (hint) hint.textContent = armed ? "press 1 to 9" : "a digit drops at once";
  }

  /** @param {string} verdict */
  function press(verdict) {
    if (isTaken()) return;
    if (verdict === "drop") arm();
    else if (verdict === "skip") skipping.press();
    else vote(verdict);
  }

  /** Take the vote back; where there is none yet, go to the last vote, to look at it first. */
  async function undo() {
    const id = decide().dataset.voteId;
    const last = sessionStorage.getItem(lastPage);
    if (!id && last && last !== location.pathname) location.assign(last);
    if (!id) return;
    show("", [], "");
    /** @type {HTMLElement} */ (decide().querySelector('[data-verdict-button="keep"]')).focus();
    await send(id, "DELETE", "undo");
  }

  /** A comment that was typed after the vote goes out as a vote with the same verdict. */
  function commentChanged() {
    const { verdict, voteId } = decide().dataset;
    const field = comment();
    if (root.hasAttribute("data-replacing")) return;
    if (voteId && verdict && field && field.value !== field.defaultValue) vote(verdict, reasons());
  }

  root.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const verdict = target.closest("[data-verdict-button]")?.getAttribute("data-verdict-button");
    const digit = target.closest("[data-reason]")?.getAttribute("data-reason");
    if (verdict) press(verdict);
    else if (digit) drop(Number(digit));
    else if (target.closest("[data-undo]")) undo();
  });
  addEventListener("pagehide", commentChanged);
  for (const left of ["change", "focusout"]) { // "change" forgets what was typed before a fresh column
    root.addEventListener(left, (event) => comment() && event.target === comment() && commentChanged());
  }
  root.addEventListener("input", (event) => {
    const field = comment();
    if (field && event.target === field) sessionStorage.setItem(draft, field.value);
  });
  root.addEventListener("keydown", (event) => {
    const field = comment();
    if (!field || event.target !== field || event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    const voted = Boolean(decide().dataset.voteId);
    field.blur(); // fires "change"
    const next = decide().querySelector(voted ? '[data-go="open"]' : '[data-verdict-button="keep"]');
    /** @type {HTMLElement | null} */ (next)?.focus();
  });
  const typed = sessionStorage.getItem(draft);
  const empty = comment();
  if (typed !== null && empty && !empty.value) empty.value = typed;

  return { press, drop, undo, comment: () => comment()?.focus() };
}
