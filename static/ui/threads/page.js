// @ts-check
// Pages that list threads: one case is the current one, and keys act on it.

import { register } from "../keys.js";
import { cases } from "../cases.js";
import { answerIn, sendThreads, settleIn } from "./send.js";

const list = cases("[data-thread-case]");
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
sendThreads(main, () => location.reload(), () => {});

register([
  { group: "Threads", keys: ["KeyA"], label: "answer", run: () => list.current && answerIn(list.current) },
  { group: "Threads", keys: ["KeyD"], label: "resolve or reopen", run: () => list.current && settleIn(list.current) },
  { group: "Elsewhere", keys: ["KeyN"], label: "next", repeat: true, run: () => list.move(1) },
  { group: "Elsewhere", keys: ["KeyJ"], label: "previous", repeat: true, run: () => list.move(-1) },
  { group: "Elsewhere", keys: ["KeyO"], label: "open the item in review", run: list.open },
]);
