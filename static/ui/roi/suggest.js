// @ts-check
/**
 * The suggested box: asked for with one key, looked for by a worker, shown dashed beside the box
 * that is drawn. It is never applied by itself, and once applied it is as unsaved as any other.
 */
import { sendJson } from "../http.js";
import { html, icon, part } from "../stage/dom.js";
import { same, toPixels } from "./geometry.js";

const AGAIN_MS = 700;

/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {{state: string, roi?: Box | null, scan?: Box | null, confidence?: number, reason?: string, advice?: string, done?: number, total?: number}} Answer */

/**
 * @typedef {object} SuggestHost
 * @property {string} url @property {() => import("./geometry.js").Frame} frame
 * @property {() => Box} box @property {(box: Box, mark: string) => void} change
 * @property {() => void} seen called when something is known, or the proposal comes or goes
 */

export class Suggestion {
  /** What a worker found, for the checks. @type {{roi: Box | null, scan: Box | null} | null} */ found = null;
  /** The box that is proposed now. @type {Box | null} */ proposal = null;
  #asking = false;

  /** @param {HTMLElement} root @param {SuggestHost} host */
  constructor(root, host) {
    this.host = host;
    this.bar = part(root, "[data-suggestion]");
    this.button = part(root, '[data-act="suggest"]');
    void sendJson("GET", host.url).then((answer) => answer.json()).then((said) => this.#know(said)).catch(() => {});
  }

  get open() { return !this.bar.hidden; }

  /** Have a worker look; asking again shows again what it found. */
  async ask() {
    if (this.#asking) return;
    this.#busy(true);
    this.#working({ state: "working", done: 0, total: 0 });
    for (let method = "POST"; ; method = "GET") {
      const answer = await sendJson(method, this.host.url).catch(() => null);
      const said = /** @type {any} */ (await answer?.json().catch(() => null));
      const gone = !this.open; // dismissed meanwhile: what was found is only for the checks
      if (gone || answer?.status !== 202) {
        this.#busy(false);
        return gone ? this.#know(said ?? { state: "none" }) : this.#settled(answer, said);
      }
      this.#working(said);
      await new Promise((resolve) => { setTimeout(resolve, AGAIN_MS); });
    }
  }

  /** @param {boolean} on */
  #busy(on) {
    this.#asking = on;
    this.button.setAttribute("aria-busy", String(on));
  }

  /** @param {Response | null} answer @param {any} said */
  #settled(answer, said) {
    if (!answer) return this.#say("warn", "No suggestion: the server cannot be reached.", this.#retry());
    if (!answer.ok) return this.#say("bad", `No suggestion: ${said?.detail ?? answer.status}`, this.#retry());
    this.#know(said);
    if (said.state !== "done") {
      return this.#say("bad", `No suggestion: ${said.reason ?? "the worker gave up."} ${said.advice ?? ""}`, this.#retry());
    }
    if (!said.roi) return this.#say("warn", `No confident suggestion. ${said.reason}`);
    if (same(said.roi, this.host.box())) return this.#say("good", "The box is the suggested one.");
    const px = toPixels(said.roi, this.host.frame());
    this.#say("info", `Suggested: ${px.w} × ${px.h} px at ${px.x}, ${px.y}, confidence ${Math.round(said.confidence * 100)} %. Nothing is changed yet.`,
      button("Apply", "A", () => this.apply(), "primary"));
    this.proposal = said.roi;
    this.host.seen();
  }

  apply() {
    if (!this.proposal) return;
    const box = this.proposal;
    this.dismiss();
    this.host.change(box, "");
  }

  dismiss() {
    this.bar.hidden = true;
    this.bar.replaceChildren();
    this.proposal = null;
    this.host.seen();
  }

  /** @param {Answer} said */
  #know(said) {
    if (said.state !== "done") return;
    this.found = { roi: said.roi ?? null, scan: said.scan ?? null };
    this.host.seen();
  }

  /** @param {Answer} said */
  #working({ done = 0, total = 0 }) {
    const bar = html("progress", { max: total || 1, value: done, "aria-label": "How far the worker has looked" });
    const text = total && done ? `Looking at the video: ${done} of ${total} moments` : "A worker looks at the video";
    this.#say("info", text, bar);
  }

  #retry() { return button("Try again", "G", () => void this.ask()); }

  /** @param {string} tone @param {string} text @param {...Node} parts */
  #say(tone, text, ...parts) {
    this.proposal = null;
    const glyph = { good: "tick", bad: "disagree", warn: "alert", info: "info" }[tone] ?? "info";
    this.bar.hidden = false;
    this.bar.className = `note ${tone} roi-suggestion`;
    this.bar.replaceChildren(icon(glyph), html("span", { class: "grow" }, text), ...parts,
      button("Dismiss", "D", () => this.dismiss()));
    this.host.seen();
  }
}

/** @param {string} label @param {string} key @param {() => void} act @param {string} [look] */
function button(label, key, act, look = "") {
  const made = html("button", { type: "button", class: `btn small ${look}` }, label, " ", html("kbd", {}, key));
  made.addEventListener("click", act);
  return made;
}
