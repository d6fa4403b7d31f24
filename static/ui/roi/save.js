// @ts-check
/** Saves a box as a version; says what became of it in place, and overwrites nothing unseen. */
import { mergeBox, rowsOf, textOf } from "../review/conflict.js";
import { Door } from "../review/door.js";
import { needsSignIn, sendPatiently } from "../review/patient.js";
import { setUpSignIn } from "../review/sign_in.js";
import { html, icon, part } from "../stage/dom.js";
import { toPixels } from "./geometry.js";

const SAID = "roi/saved"; // what to say after the page was loaded again
const GLYPHS = { good: "tick", bad: "disagree", warn: "alert", info: "info" };

/** @typedef {import("./geometry.js").Box} Box */

/**
 * @typedef {object} SaveHost
 * @property {string} url @property {string} undoUrl @property {() => Box} box @property {() => import("./geometry.js").Frame} frame
 * @property {() => {item: number | null, base: number, name: string, follow: boolean}} scope
 * @property {() => void} leave called before the page is loaded again
 */

export class Saving {
  #busy = false;
  /** The last save, as the server is told to take it back. @type {{base_version: number, item?: number} | null} */ #undoable = null;
  #door = new Door();
  /** @type {number | null} */ #above = null; // save over this version: the reader has seen it

  /** @param {HTMLElement} root @param {SaveHost} host */
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.note = part(root, "[data-save-note]");
    setUpSignIn(root, this.#door);
    const { text = "", undo = null } = JSON.parse(sessionStorage.getItem(SAID) ?? "{}");
    sessionStorage.removeItem(SAID);
    this.#undoable = undo;
    if (text) this.say("good", text, ...(undo ? [" ", button("Take it back", () => void this.undo(), "", "Z")] : []));
  }

  get canUndo() { return this.#undoable !== null; }

  /** Take the last save back, with what it did to votes and decisions. */
  async undo() {
    if (this.#busy || !this.#undoable) return;
    this.#busy = true;
    const told = await this.#send(this.host.undoUrl, () => this.#undoable ?? {});
    this.#busy = false;
    if (told && needsSignIn(told)) return this.#signedOut(() => this.undo());
    if (!told?.ok) return told && this.#refused(told, "Not taken back");
    const said = told.body;
    this.#again(`Taken back ${clockTime()}: the box from before, as ${said.item ? "item v" : "v"}${said.version}; its votes and decisions count again`);
  }

  /** @param {keyof GLYPHS} tone @param {...(Node | string)} parts */
  say(tone, ...parts) {
    const role = tone === "good" || tone === "info" ? "status" : "alert";
    this.note.replaceChildren(
      html("div", { class: `note ${tone}`, role }, icon(GLYPHS[tone]), html("div", {}, ...parts)));
  }

  async save() {
    if (this.#busy) return;
    this.#busy = true;
    this.say("info", "Saving");
    const told = await this.#send(this.host.url, () => this.#body());
    this.#busy = false;
    if (told?.ok) this.#saved(told.body);
    else if (told && needsSignIn(told)) this.#signedOut(() => this.save());
    else if (told?.status === 409 && told.body.current) this.#conflict(told.body);
    else if (told) this.#refused(told);
  }

  /** @param {string} url @param {() => object} body */
  #send(url, body) {
    return sendPatiently("POST", url, body, (why, seconds) =>
      this.say("warn", `Not saved yet: ${why}. The box is kept on this page; trying again in ${seconds} s.`), { stopped: false });
  }

  #body() {
    const { item, base, follow } = this.host.scope();
    return {
      base_version: this.#above ?? base,
      roi: follow ? null : this.host.box(),
      ...(item ? { item } : {}),
      reason: part(this.root, "[data-reason]").value,
      cosmetic: part(this.root, "[data-cosmetic]").checked,
      reader: Number(this.root.dataset.user),
    };
  }

  /** @param {{version: number, saved_at: string}} receipt */
  #saved({ version, saved_at }) {
    const { item, name } = this.host.scope();
    this.#again(`Saved ${clockTime(saved_at)} as ${name}${version}`, { base_version: version, ...(item ? { item } : {}) });
  }

  /** The page shows the version as it stands, with its trail. @param {string} text @param {object | null} [undo] */
  #again(text, undo = null) {
    sessionStorage.setItem(SAID, JSON.stringify({ text, undo }));
    this.#reload();
  }

  #reload() { this.host.leave(); location.reload(); }

  /** Ask for the password here; what waits goes out after it. @param {() => unknown} again */
  #signedOut(again) {
    this.note.replaceChildren();
    this.#door.ask("box", again);
  }

  /** @param {import("../review/patient.js").Told} told @param {string} [what] */
  #refused({ status, body }, what = "Not saved") {
    const errors = JSON.stringify(body.errors ?? "").replace(/[{}[\]"]/g, "").replaceAll(",", "; ");
    this.say("bad", `${what}: ${errors || body.detail || status}`);
  }

  /** @param {Box} box */
  #pixels(box) {
    const px = toPixels(box, this.host.frame());
    return `${px.w} × ${px.h} px at ${px.x}, ${px.y}`;
  }

  /** @param {any} problem */
  #conflict(problem) {
    const { item, base } = this.host.scope(), { current } = problem;
    const rows = item ? rowsOf(problem)
      : [{ part: "roi", base: problem.base, theirs: current, mine: problem.yours, both: true }];
    const { box, focus } = mergeBox({
      rows, base, current: current.version, take: () => this.#reload(),
      say: (part, side) => (part === "roi" && side ? this.#pixels(side) : textOf(part, side)),
      save: (dropped) => {
        if (dropped.length) return this.#reload();
        this.#above = current.version;
        void this.save();
      },
    });
    this.say("bad", box);
    focus();
  }
}

/** @param {string} [at] as the server said it */
const clockTime = (at) => (at ? new Date(at) : new Date()).toTimeString().slice(0, 8);

/** @param {string} label @param {() => void} act @param {string} [look] @param {string} [key] */
function button(label, act, look = "", key = "") {
  const made = html("button", { type: "button", class: `btn small ${look}` }, label, ...(key ? [" ", html("kbd", {}, key)] : []));
  made.addEventListener("click", act);
  return made;
}
