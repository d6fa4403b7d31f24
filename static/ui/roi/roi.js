// @ts-check
/** The ROI editor: wires board, fields, film, preview, checks, keys and saving to one box. */
import { register } from "../keys.js";
import { fetchStill, stillUrl } from "../player/still.js";
import { setUpQueue } from "../review/queue.js";
import { part } from "../stage/dom.js";
import { clock, parse } from "../stage/format.js";
import { Board } from "./board.js";
import { setUpFields } from "./fields.js";
import { setUpFilm, timesOf } from "./film.js";
import { same } from "./geometry.js";
import { back, begin, step } from "./history.js";
import { keptBox } from "./kept_box.js";
import { roiKeys } from "./keys.js";
import { setUpLeaving } from "./leave.js";
import { setUpPreview } from "./preview.js";
import { showSummary } from "./summary.js";
import { Saving } from "./save.js";
import { canSave, scopeOf } from "./scope.js";
import { Suggestion } from "./suggest.js";

const USUAL = { w: 1280, h: 720 }; // where nobody knows the size of the source
const FRAME = 1 / 25;

/** @typedef {import("./geometry.js").Box} Box */

class Editor {
  /** @param {HTMLElement} root @param {any} data see annotation/queries/roi.py */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.stills = root.dataset.stills ?? "";
    this.duration = data.video.end - data.video.start;
    this.time = Math.round((data.item.start + data.item.end) * 50) / 100;
    this.frame = data.source.width && data.source.height ? { w: data.source.width, h: data.source.height } : USUAL;
    this.history = begin(/** @type {Box} */ (data.roi));
    this.kept = keptBox(root, data);
    this.seen = { crossing: 0, looked: 0 };
    const host = { frame: () => this.frame, box: () => this.box, change: this.change.bind(this) };
    this.board = new Board(part(root, "[data-board]"), { ...host, saved: data.roi, savedName: `v${data.base}`,
      proposal: () => this.suggestion?.proposal ?? null });
    this.fields = setUpFields(root, host);
    this.film = setUpFilm(root, { stills: this.stills, frame: host.frame,
      times: timesOf(this.duration, data.item), window: data.item, pick: (at) => void this.look(at),
      checked: (crossing, looked) => { this.seen = { crossing, looked }; this.#summary(); } });
    this.saving = new Saving(root, { url: root.dataset.saveUrl ?? "", undoUrl: root.dataset.undoUrl ?? "", ...host,
      scope: () => this.scope, leave: () => this.leaving.allow() });
    this.leaving = setUpLeaving({ dirty: () => this.dirty, forget: this.kept.forget,
      back: root.dataset.back ?? "/", warn: (text) => this.saving.say("warn", text) });
    this.suggestion = new Suggestion(root, { url: root.dataset.suggestionUrl ?? "", ...host,
      seen: () => { this.board.draw(); this.#summary(); } });
    this.preview = setUpPreview(root, { url: root.dataset.previewUrl ?? "", box: host.box,
      unsaved: () => this.dirty, window: data.item });
    this.#listen(host);
    this.show();
    this.kept.offer(host.change, (tone, text) => this.saving.say(tone, text));
    void this.look(this.time);
  }

  get box() { return this.history.now; }
  get dirty() { return !same(this.box, this.data.roi); }
  get scope() { return scopeOf(this.root, this.data); }
  /** @param {Box} next @param {string} mark */
  change(next, mark) {
    if (same(next, this.box)) return;
    this.history = step(this.history, next, mark, performance.now());
    this.#moved();
  }
  /** A step of this page, else the save before it. */
  #undo() {
    if (!this.history.past.length) return void this.saving.undo();
    this.history = back(this.history);
    this.#moved();
  }
  #moved() {
    this.preview.stale();
    this.kept.keep(this.box);
    this.show();
  }

  show() {
    this.board.draw();
    this.fields();
    this.film.draw(this.box); // tells what it saw, which writes the summary
  }

  #summary() {
    const { item } = this.scope, { data } = this;
    showSummary(this.root, {
      box: this.box, frame: this.frame, film: this.seen, seen: this.suggestion?.found ?? null, dirty: this.dirty,
      canUndo: this.history.past.length > 0 || this.saving.canUndo,
      canSave: canSave(this.scope, data, this.box),
      saveLabel: item ? data.labels.item : data.labels.video,
    });
  }

  /** Show another still below the same box. @param {number} at seconds */
  async look(at) {
    const time = Math.min(Math.max(0, at), this.duration);
    this.time = time;
    part(this.root, "[data-time]").value = clock(time);
    part(this.root, "[data-at]").textContent = `at ${clock(time)}`;
    this.film.press(time);
    this.board.waiting(true);
    const still = await fetchStill(stillUrl(this.stills, time));
    if (time !== this.time) return;
    this.board.waiting(false);
    if ("url" in still) return this.board.still(still.url);
    this.board.schematic(still.reason);
    this.show();
  }

  /** @param {{frame: () => import("./geometry.js").Frame, box: () => Box, change: (box: Box, mark: string) => void}} host */
  #listen(host) {
    const acts = {
      undo: () => this.#undo(), reset: () => this.change(this.data.roi, ""),
      leave: () => this.leaving.leave(), save: () => void this.saving.save(),
      suggest: () => void this.suggestion.ask(), apply: () => this.suggestion.apply(),
      dismiss: () => this.suggestion.dismiss(), clip: () => this.preview.play(),
      "frame-back": () => void this.look(this.time - FRAME), "frame-forward": () => void this.look(this.time + FRAME),
    };
    for (const button of this.root.querySelectorAll("[data-act]")) {
      const name = /** @type {keyof acts} */ (button.getAttribute("data-act"));
      button.addEventListener("click", (event) => { event.preventDefault(); acts[name](); });
    }
    const typed = part(this.root, "[data-time]");
    typed.addEventListener("change", () => void this.look(parse(typed.value) ?? this.time));
    this.board.picture.addEventListener("load", () => this.#loaded());
    this.root.addEventListener("change", (event) => {
      if (!(/** @type {Element} */ (event.target).matches('[name="scope"]'))) return;
      if (this.scope.follow) this.change(this.data.video.roi, "");
      this.show();
    });
    const queue = setUpQueue(part(document, "[data-queue]"));
    const leave = () => (this.suggestion.open ? this.suggestion.dismiss() : this.leaving.leave());
    register([...roiKeys({ ...acts, ...host, leave }),
      { group: "Elsewhere", keys: ["Slash"], label: "search", run: () => queue.search() }]);
  }

  #loaded() {
    const { naturalWidth: w, naturalHeight: h } = this.board.picture;
    if (!this.data.source.width) this.frame = { w, h };
    this.board.measure();
    this.show();
  }
}

for (const root of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-roi]"))) {
  new Editor(root, JSON.parse(part(document, "#roi-data").textContent));
}
