// @ts-check
// Sends what the outbox keeps, one after another, until the server has answered each: through a
// dead network with growing pauses, through an expired login once the reader has signed in again.
//
// Events: "saving"; "saved" {entry, receipt, left}; "waiting" {count, counted, seconds, why};
// "signed-out" {count, counted}; "refused" {entry, problem}; "held" {count, counted} where the
// page must not be left. `counted` is the count in words.

import { sendJson } from "../http.js";
import { counted, forget, keep, waiting } from "./outbox.js";
import { oneAtATime } from "./tabs.js";

/** @typedef {import("./outbox.js").Entry} Entry */

const LONGEST_PAUSE = 30; // seconds
const AGAIN_LATER = [403, 408, 429]; // 403: the role may come back; the vote waits for it
const OTHER_READER = "urn:sonovqa:other-reader"; // the entry waits for its own account
const PATIENCE = 10_000; // ms that one request may take

export class Sender extends EventTarget {
  /** @param {number} user the account whose entries these are */
  constructor(user) {
    super();
    this.user = user;
    this.failures = 0;
    this.reached = true; // whether the last request had an answer
    /** @type {Promise<void> | null} */
    this.running = null;
    this.timer = 0;
    addEventListener("online", () => this.flush());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.failures) this.flush();
    });
  }

  /**
   * Keep an entry and send it. Resolves once it is kept.
   * @param {Entry} entry
   */
  async add(entry) {
    this.tell("saving", {});
    await keep(entry);
    this.flush();
  }

  /** Send what waits; while that runs, another call waits for it and looks again. */
  flush() {
    clearTimeout(this.timer);
    const before = this.running ?? Promise.resolve();
    const send = () => oneAtATime(`sonovqa/outbox/${this.user}`, () => this.sendAll());
    const run = before.then(send).finally(() => {
      if (this.running === run) this.running = null;
    });
    this.running = run;
    return run;
  }

  /**
   * Resolves when nothing is on its way any more, or after `ms`.
   * @param {number} ms
   */
  async settled(ms) {
    const pause = new Promise((resolve) => setTimeout(resolve, ms));
    await Promise.race([this.running ?? Promise.resolve(), pause]);
  }

  /** Say whether a move has to wait: without a connection it would end on the browser's error page. */
  async holds() {
    if (navigator.onLine && this.reached) return false;
    const kept = await waiting(this.user);
    this.tell("held", { count: kept.length, counted: counted(kept) });
    return true;
  }

  async sendAll() {
    const entries = await waiting(this.user);
    for (const [place, entry] of entries.entries()) {
      if (!(await this.send(entry, entries.slice(place)))) return;
    }
  }

  /**
   * @param {Entry} entry
   * @param {Entry[]} kept what waits, this one included
   * @returns {Promise<boolean>} whether the next one may be tried
   */
  async send(entry, kept) {
    const count = kept.length;
    const answer = await attempt(entry);
    this.reached = answer !== null;
    const problem = (await answer?.json().catch(() => ({}))) ?? {};
    if (answer?.status === 401 || isForged(answer?.status, problem) || problem.type === OTHER_READER) {
      this.tell("signed-out", { count, counted: counted(kept) });
      return false;
    }
    if (!answer || answer.status >= 500 || AGAIN_LATER.includes(answer.status)) {
      const why = answer ? problem.detail ?? `the server answered ${answer.status}` : "no network";
      this.later(kept, why, Number(answer?.headers.get("Retry-After")) || 0);
      return false;
    }
    this.failures = 0;
    await forget(entry);
    const goneAlready = entry.method === "DELETE" && answer.status === 404;
    if (answer.ok || goneAlready) {
      this.tell("saved", { entry, receipt: answer.ok ? problem : {}, left: count - 1 });
    } else {
      this.tell("refused", { entry, problem: { status: answer.status, ...problem }, left: count - 1 });
    }
    return true;
  }

  /** @param {Entry[]} kept @param {string} why @param {number} asked seconds that the server asks for */
  later(kept, why, asked) {
    const seconds = Math.min(LONGEST_PAUSE, Math.max(asked, 2 ** this.failures));
    this.failures += 1;
    this.tell("waiting", { count: kept.length, counted: counted(kept), seconds, why });
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.flush(), seconds * 1000);
  }

  /** @param {string} name @param {object} detail */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/**
 * A token that was refused belongs to a session that is over.
 * @param {number | undefined} status @param {{detail?: string}} problem
 */
function isForged(status, problem) {
  return status === 403 && String(problem.detail ?? "CSRF").startsWith("CSRF");
}

/** @param {Entry} entry */
async function attempt(entry) {
  try {
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error("late")), PATIENCE));
    const whose = { "X-Reader": String(entry.user) }; // an undo has no body that could say it
    return await Promise.race([sendJson(entry.method, entry.url, entry.body, whose), late]);
  } catch {
    return null;
  }
}
