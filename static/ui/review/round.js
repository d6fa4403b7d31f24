// @ts-check
// A reader's turn in a round: kept while the page is open and used, let go when it is left, and
// the next item claimed once this one has its vote, so that Enter goes straight to it.

import { sendJson } from "../http.js";
import { localClocks } from "../local_clock.js";
import { readAhead } from "./ahead.js";

const EVERY = 60_000; // ms between two signs of life
const FRESH = 9 * 60_000; // ms of a lease that need no renewal

/**
 * @param {HTMLElement} root the item column
 * @param {{column: ReturnType<import("./column.js").setUpColumn>,
 *   sender: import("./sender.js").Sender, time: {seconds: number}}} page
 */
export function setUpRound(root, { column, sender, time }) {
  const note = () => /** @type {HTMLElement | null} */ (root.querySelector("[data-round]"));
  const state = () => note()?.dataset.roundState ?? "";
  const voted = () => Boolean(column.decide().dataset.voteId);
  let ahead = "";
  let staying = false;
  let worked = 0;

  async function hold() {
    const url = root.dataset.hold;
    const answer = url ? await sendJson("POST", url).catch(() => null) : null;
    if (answer?.status === 409 && !voted()) await column.refresh(false);
    if (!answer?.ok) return;
    const { until } = await answer.json();
    const here = note();
    if (here) Object.assign(here.dataset, { roundState: "held", until });
  }

  async function claim() {
    const url = root.dataset.claim;
    const answer = url ? await sendJson("POST", url).catch(() => null) : null;
    if (answer?.ok) ahead = (await answer.json()).url ?? "";
    readAhead(ahead);
  }

  /** A lease that was given just now needs no second request. */
  function isFresh() {
    const left = Date.parse(note()?.dataset.until ?? "") - Date.now();
    return state() === "held" && left > FRESH;
  }

  localClocks(root);
  if (!note()) return { ahead: () => "", stay() {} };
  if (!voted() && ["free", "skipped", "waiting", "held"].includes(state()) && !isFresh()) hold();
  setInterval(() => {
    const used = time.seconds > worked;
    worked = time.seconds;
    if (used && state() === "held" && !voted()) hold();
  }, EVERY);
  sender.addEventListener("saved", (event) => {
    const { entry } = /** @type {CustomEvent} */ (event).detail;
    if (!entry.url.startsWith(root.dataset.votes ?? "")) return;
    if (entry.method === "PUT" && entry.what !== "skip") claim();
    else ahead = "";
  });
  addEventListener("pagehide", () => {
    const url = root.dataset.release;
    if (url && !staying && state() === "held" && !voted()) sendJson("POST", url);
  });
  return {
    ahead: () => ahead,
    /** The page is left for another one about the same item. */
    stay() { staying = true; },
  };
}
