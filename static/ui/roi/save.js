// @ts-check
/** Saves a box as a version; says what became of it in place, and overwrites nothing unseen. */
import { sendJson } from "../http.js";
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
  /** @type {number | null} */ #above = null; // save over this version: the reader has seen it

  /** @param {HTMLElement} root @param {SaveHost} host */
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.note = part(root, "[data-save-note]");
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
    const answer = await sendJson("POST", this.host.undoUrl, this.#undoable).catch(() => null);
    const said = await answer?.json().catch(() => ({})) ?? {};
    this.#busy = false;
    if (!answer?.ok) return this.#refused(answer, said, "Not taken back");
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
    const answer = await sendJson("POST", this.host.url, this.#body()).catch(() => null);
    const said = await answer?.json().catch(() => ({})) ?? {};
    this.#busy = false;
    if (answer?.ok) this.#saved(said.version);
    else if (answer?.status === 409) this.#conflict(said.current);
    else this.#refused(answer, said);
  }

  #body() {
    const { item, base, follow } = this.host.scope();
    return {
      base_version: this.#above ?? base,
      roi: follow ? null : this.host.box(),
      ...(item ? { item } : {}),
      reason: part(this.root, "[data-reason]").value,
      cosmetic: part(this.root, "[data-cosmetic]").checked,
    };
  }

  /** @param {number} version */
  #saved(version) {
    const { item, name } = this.host.scope();
    this.#again(`Saved ${clockTime()} as ${name}${version}`, { base_version: version, ...(item ? { item } : {}) });
  }

  /** The page shows the version as it stands, with its trail. @param {string} text @param {object | null} [undo] */
  #again(text, undo = null) {
    sessionStorage.setItem(SAID, JSON.stringify({ text, undo }));
    this.#reload();
  }

  #reload() {
    this.host.leave();
    location.reload();
  }

  /** @param {Response | null} answer @param {any} said @param {string} [what] */
  #refused(answer, said, what = "Not saved") {
    if (!answer) return this.say("warn", `${what}: the server cannot be reached. The box is kept on this page.`);
    if (answer.status === 401) {
      const door = html("a", { href: "/accounts/login/", target: "_blank" }, "sign in in another tab");
      return this.say("warn", "You are signed out. The box is kept on this page; ", door, ", then save again.");
    }
    const errors = JSON.stringify(said.errors ?? "").replace(/[{}[\]"]/g, "").replaceAll(",", "; ");
    this.say("bad", `${what}: ${errors || said.detail || answer.status}`);
  }

  /** @param {Box & {version: number}} current */
  #conflict(current) {
    const [theirs, mine] = [current, this.host.box()].map((box) => {
      const px = toPixels(box, this.host.frame());
      return `${px.w} × ${px.h} px at ${px.x}, ${px.y}`;
    });
    const take = button(`Take v${current.version}`, () => this.#reload());
    const keep = button(`Save mine as v${current.version + 1}`, () => {
      this.#above = current.version;
      void this.save();
    }, "primary");
    this.say("bad", html("strong", {}, `Someone saved v${current.version} while you edited. `),
      html("ins", {}, theirs), ` theirs, ${mine} yours.`, html("span", { class: "row wrap" }, take, keep));
  }
}

const clockTime = () => new Date().toTimeString().slice(0, 8);

/** @param {string} label @param {() => void} act @param {string} [look] @param {string} [key] */
function button(label, act, look = "", key = "") {
  const made = html("button", { type: "button", class: `btn small ${look}` }, label, ...(key ? [" ", html("kbd", {}, key)] : []));
  made.addEventListener("click", act);
  return made;
}
