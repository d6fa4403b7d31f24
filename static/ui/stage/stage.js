// @ts-check
/** The centre column of the review workspace: player, transport, timeline, event log. */
import { fileDriver } from "../player/file.js";
import { Player } from "../player/player.js";
import { youtubeDriver } from "../player/youtube.js";
import { part, set } from "./dom.js";
import { windowDraft } from "./draft.js";
import { setUpEventLog } from "./event_log.js";
import { setUpModelClip } from "./model_clip.js";
import { modelView } from "./model_view.js";
import { setUpReport } from "./report.js";
import { boundariesOf, moveEdge, snap } from "./scale.js";
import { screenOf } from "./screen.js";
import { register } from "../keys.js";
import { stageKeys } from "./stage_keys.js";
import { setUpTimeline } from "./timeline.js";
import { follow, setUpTransport } from "./transport.js";
import { setUpWindowFields } from "./window_fields.js";
import { LEAST } from "./window_lane.js";

/** @typedef {import("./scale.js").Span} Span */

export class Stage {
  #blocked = false; // autoplay was refused once

  /** @param {HTMLElement} root @param {any} data see annotation/queries/stage.py */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.duration = data.video.end - data.video.start;
    this.isFile = data.source.kind === "file";
    this.fixed = "fixed" in root.dataset; // nothing of the item is changed on this page
    const { stills = "", versions = "", report = "" } = root.dataset;
    const box = part(root, "[data-player]");
    this.screen = screenOf(box, stills);
    const outline = "outline" in root.dataset && data.source.width ? data.source : null;
    this.model = modelView(box, data.item.roi, { stills, isFile: this.isFile, outline });
    this.clip = setUpModelClip(root, { pause: () => this.player.pause() });
    this.draft = windowDraft(root, this.fixed ? { ...data.item, id: 0 } : data.item, versions, (window) => this.#changed(window));
    this.reports = setUpReport(root, report);
    this.log = this.#readLog();
    const lanes = { duration: this.duration, window: this.draft.window, events: data.events, windows: data.windows };
    this.timeline = setUpTimeline(root, lanes, {
      seek: (time) => this.seek(time),
      change: (window, settled) => {
        if (this.fixed) return;
        this.draft.put(window);
        if (settled) this.#follow(window);
      },
    });
    setUpWindowFields(root, { duration: this.duration, window: () => this.draft.window,
      events: () => (this.data.closed ? [] : this.data.events), // one that is shut may lie in the window
      move: (edge, time) => this.moveEdge(edge, time) });
    setUpTransport(root, () => this.player, () => this.draft.window);
    part(root, '[data-do="model"]').addEventListener("click", () => this.showModel(!this.model.on));
    register(stageKeys(this));
    this.log.countIn(this.draft.window);
    this.player = this.#open();
  }

  #readLog() {
    return setUpEventLog(this.root, this.data.events, (time) => this.seek(time), this.data.closed ?? 0);
  }

  /** Show what of the log opened with an answer. @param {any[]} events @param {number} closed */
  openLog(events, closed) {
    this.data.events.splice(0, this.data.events.length, ...events); // the timeline holds them too
    this.data.closed = closed;
    this.log = this.#readLog();
    this.#changed(this.draft.window);
  }

  /** Try again after a fault: with a new player. */
  again() {
    this.player.destroy();
    this.player = this.#open();
  }

  #open() {
    this.screen.loading(this.draft.window);
    const { start, end } = this.draft.window;
    const player = new Player(this.#driver(this.data.video.start + start), this.data.video);
    player.loop(start, end);
    follow(this.root, player, () => this.draft.window.end);
    player.on("time", (time) => { this.timeline.move(time); this.log.light(time); });
    player.on("ready", () => { this.screen.ready(); player.play(); });
    player.on("play", () => { this.screen.ready(); this.clip.hide(); if (this.model.on && !this.isFile) this.showModel(false); });
    player.on("error", (error) => this.#failed(error));
    return player;
  }

  /** @param {number} start seconds of the source */
  #driver(start) {
    const { source } = this.data, { scriptOrigin = "", host = "" } = this.root.dataset;
    const box = this.screen.place;
    if (this.isFile) return fileDriver({ box, url: source.url, start });
    return youtubeDriver({ box, id: source.key, start, scriptOrigin, host });
  }

  /** @param {number} time */
  seek(time) {
    this.player.seek(time);
    if (this.model.on && !this.isFile) this.model.show(true, time);
  }

  /** @param {boolean} on */
  showModel(on) {
    if (on && !this.isFile) this.player.pause();
    this.model.show(on, this.player.time);
    set(part(this.root, '[data-do="model"]'), { "aria-checked": String(on) });
  }

  /** @param {"start" | "end"} edge @param {number} time */
  moveEdge(edge, time) {
    if (this.fixed) return;
    this.draft.put(moveEdge(this.draft.window, edge, time, { duration: this.duration, least: LEAST }));
    this.#changed(this.draft.window);
  }

  /** To where the nearest entry of the event log begins or ends. @param {"start" | "end"} edge */
  snapEdge(edge) {
    const times = boundariesOf(this.data.events);
    this.moveEdge(edge, snap(this.draft.window[edge], times, Infinity));
  }

  /** @param {Span} window */
  #changed(window) {
    this.timeline.show(window);
    this.#follow(window);
  }

  /** @param {Span} window */
  #follow(window) {
    this.log.countIn(window);
    if (this.player.looping) this.player.loop(window.start, window.end);
  }

  /** @param {{reason: string, code: string | number}} error */
  #failed(error) {
    // Refused a second time, the player itself has to be pressed: then it must be seen.
    if (error.reason === "autoplay" && this.#blocked) return this.screen.ready();
    this.#blocked ||= error.reason === "autoplay";
    const url = this.root.dataset.source;
    this.screen.failed(error, this.data.windows.length, {
      retry: () => this.again(),
      play: () => this.player.play(),
      report: () => void this.reports.found(error.reason),
      still: () => void this.screen.still(this.draft.window.start),
      ...(url ? { open: () => window.open(url, "_blank", "noopener") } : {}),
    });
  }
}

for (const root of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-stage]"))) {
  const stage = new Stage(root, JSON.parse(part(document, "#stage-data").textContent));
  Object.assign(root, { stage }); // tests and other parts of the page find it here
}
