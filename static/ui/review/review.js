// @ts-check
// The review workspace: puts its parts together and gives them their keys.

import { register } from "../keys.js";
import { answerIn, sendThreads, settleIn } from "../threads/send.js";
import { activeTime } from "./active_time.js";
import { readAhead } from "./ahead.js";
import { setUpAnswers } from "./answers.js";
import { setUpAnswersFirst } from "./answers_first.js";
import { setUpColumn } from "./column.js";
import { setUpDecision } from "./decision.js";
import { setUpEdit } from "./edit.js";
import { onLine } from "./options.js";
import { lookOf, showElsewhere } from "./progress.js";
import { setUpGuide } from "./guide.js";
import { setUpQueue } from "./queue.js";
import { setUpRefused } from "./refused.js";
import { setUpRound } from "./round.js";
import { setUpSavedLine } from "./saved.js";
import { Sender } from "./sender.js";
import { setUpSignIn } from "./sign_in.js";
import { tabsOf } from "./tabs.js";
import { setUpVotes } from "./votes.js";

const PATIENCE = 250; // ms that the way to the next item waits for an answer to the last vote

/** @param {HTMLElement} root */
function setUpReview(root) {
  const sender = new Sender(Number(root.dataset.user));
  const column = setUpColumn(root);
  const tabs = tabsOf(sender.user, heard);
  const signedOut = (what = "edit") => sender.tell("signed-out", { count: 0, edit: true, what });
  const edit = setUpEdit(root, { signedOut, saved: (item) => tabs.tell({ edited: item }) });
  const decision = setUpDecision(root, column, {
    saved: (at) => sender.tell("saved", { entry: {}, receipt: { saved_at: at }, left: 0 }),
    signedOut: () => signedOut("decision"),
  });
  sendThreads(root, async () => { await column.refresh(false); }, () => signedOut("thread"));
  document.addEventListener("session:ended", () => signedOut());
  const guide = setUpGuide();
  const queue = setUpQueue(/** @type {HTMLElement} */ (document.querySelector("[data-queue]")));

  /** @param {string} where */
  async function go(where) {
    const link = document.querySelector(`[data-go="${where}"]`);
    if (!(link instanceof HTMLAnchorElement) || !link.href) return;
    await sender.settled(PATIENCE);
    if (await sender.holds()) return;
    if (where === "roi" || where === "history") round.stay();
    location.assign((where === "open" && round.ahead()) || link.href);
  }
  const time = activeTime();
  const round = setUpRound(root, { column, sender, time });
  const votes = setUpVotes(root, { sender, time, decide: column.decide, goOn: () => go("open") });
  const answers = setUpAnswers(root, { sender, time, column });
  const first = setUpAnswersFirst(answers.isSealed, column.decide);

  setUpSavedLine(/** @type {HTMLElement} */ (document.querySelector("[data-saved]")), sender);
  setUpSignIn(root, sender);
  setUpRefused(root, sender, () => column.refresh(false).then(answers.restore));
  sender.addEventListener("signed-in", () => {
    edit.signedIn();
    decision.signedIn();
    document.dispatchEvent(new CustomEvent("session:back"));
  });
  sender.addEventListener("saved", async (event) => {
    const { entry } = /** @type {CustomEvent} */ (event).detail;
    if (!entry.url?.startsWith(root.dataset.votes) || entry.item !== root.dataset.item) return;
    const change = await column.refresh(entry.method === "PUT");
    const open = document.querySelector('[data-go="open"]');
    if (!root.dataset.claim && open instanceof HTMLAnchorElement && entry.method === "PUT") readAhead(open.href);
    tabs.tell({ voted: entry.item, look: lookOf(root), change });
  });
  /** What another tab of this reader did. @param {any} message */
  function heard({ voted, edited, look, change }) {
    if (voted === root.dataset.item) column.refresh(true);
    else if (voted) showElsewhere(voted, look, change);
    if (edited === root.dataset.item && !edit.isOpen()) location.reload();
    if (voted) sender.flush(); // what waited here may have gone out there
  }
  root.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("[data-go]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    go(link.getAttribute("data-go") ?? "");
  });
  // A held Enter would vote and move on, item after item.
  root.addEventListener("keydown", (event) => event.repeat && event.key === "Enter" && event.preventDefault());

  /** @param {string} group @param {string} key @param {string} label @param {() => void} act */
  const key = (group, key, label, act) => ({
    group, keys: [key], label, run: () => { if (!edit.isOpen()) act(); },
  });
  const inForm = [
    { group: "Edit", keys: ["Ctrl+Enter"], label: "save the edit", fields: true, run: edit.submit },
    { group: "Edit", keys: ["Alt+ArrowUp"], label: "move an option up", fields: true, repeat: true, run: () => onLine("up") },
    { group: "Edit", keys: ["Alt+ArrowDown"], label: "move an option down", fields: true, repeat: true, run: () => onLine("down") },
    { group: "Edit", keys: ["Alt+Enter"], label: "make an option the key", fields: true, run: () => onLine("key") },
    { group: "Edit", keys: ["Alt+Delete"], label: "take an option out", fields: true, run: () => onLine("remove") },
  ];
  register([
    key("Decide", "KeyK", "keep", () => votes.press("keep")),
    key("Decide", "KeyX", "drop, then 1 to 9", () => votes.press("drop")),
    {
      group: "Decide", shown: ["1", "–", "9"], label: "drop for that reason; more digits add",
      keys: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => `Digit${digit}`),
      run: (event) => { if (!edit.isOpen()) votes.drop(Number(event.code.at(-1))); },
    },
    key("Decide", "KeyU", "unsure; could not tell", () => (answers.isSealed() ? answers.couldNotTell() : votes.press("unsure"))),
    key("Decide", "KeyS", "skip, then 1 to 5 or S", () => votes.press("skip")),
    key("Decide", "KeyZ", "undo; before a vote, back to the last one", () => answers.undo() || votes.undo()),
    key("Decide", "KeyC", "comment", votes.comment),
    key("Decide", "Enter", "next", () => go("open")),
    key("Decide", "Shift+Enter", "previous", () => go("previous")),
    key("Edit", "KeyE", "edit the item", () => edit.open()),
    key("Edit", "KeyT", "change the type", () => edit.open("question_type")),
    key("Edit", "KeyB", "edit the box", () => go("roi")),
    key("Elsewhere", "KeyQ", "answer first, on or off", first.toggle),
    ...inForm,
    key("Threads", "KeyA", "ask or answer in a thread", () => answerIn(root)),
    key("Threads", "KeyD", "resolve or reopen a thread", () => settleIn(root)),
    key("Elsewhere", "KeyV", "versions of the item", () => go("history")),
    key("Elsewhere", "KeyG", "guidelines", guide.toggle),
    key("Elsewhere", "KeyJ", "previous in the list", () => go("previous")),
    key("Elsewhere", "KeyN", "next in the list", () => go("next")),
    key("Elsewhere", "Slash", "search the queue", queue.search),
  ]);
  if (!column.decide().dataset.voteId && matchMedia("(pointer: fine)").matches) {
    /** @type {HTMLElement | null} */ (root.querySelector('[data-verdict-button="keep"]'))?.focus({ preventScroll: true });
  }
  sender.flush();
}

setUpReview(/** @type {HTMLElement} */ (document.querySelector("[data-item]")));
