// @ts-check
/**
 * The one player that pages know. It adds to a driver (YouTube or file) the loop, the bounds of
 * the segment and the times: everything here is in seconds from the start of the video, while a
 * driver speaks in seconds of the source.
 *
 * Events: "ready", "time" (seconds, each frame), "play", "pause", "rate" (number),
 * "loop" (boolean), "error" ({reason, code}), "state" ("loading" | "ready" | "error").
 */
import { Emitter } from "./emitter.js";
import { look, makeLoop, sought } from "./loop.js";

/**
 * @typedef {object} Driver what a source of video has to do; times in seconds of the source
 * @property {() => void} play
 * @property {() => void} pause
 * @property {(time: number) => void} seek
 * @property {() => number} time
 * @property {() => number} duration 0 while unknown
 * @property {() => number} frame length of one frame, seconds; an estimate
 * @property {() => number} rate
 * @property {(rate: number) => void} setRate
 * @property {() => number[]} rates
 * @property {() => void} destroy
 */

/** @typedef {{emit: (name: string, value?: any) => void}} Wire what a driver reports to */
/** @typedef {{start: number, end: number}} Segment seconds of the source */

export class Player {
  #events = new Emitter();
  /** @type {Driver} */ #driver;
  /** @type {import("./loop.js").Loop | null} */ #loop = null;
  /** @type {{start: number, end: number} | null} */ #window = null;
  #frame = 0;
  #playing = false;
  #pausing = false; // asked to, while the source still plays
  #onHidden = () => document.hidden && this.pause();

  /** @param {(wire: Wire) => Driver} makeDriver @param {Segment} segment */
  constructor(makeDriver, segment) {
    this.segment = segment;
    this.state = "loading";
    this.#driver = makeDriver({ emit: (name, value) => this.#heard(name, value) });
    document.addEventListener("visibilitychange", this.#onHidden); // the poll stops when hidden
    this.#frame = requestAnimationFrame(this.#tick);
  }

  get playing() { return this.#playing; }
  get looping() { return this.#loop !== null; }
  get time() { return this.#driver.time() - this.segment.start; }
  get duration() { return this.segment.end - this.segment.start; }
  get rate() { return this.#driver.rate(); }
  get rates() { return this.#driver.rates(); }

  /** @param {string} name @param {(value: any) => void} listener */
  on(name, listener) { return this.#events.on(name, listener); }

  play() {
    this.#pausing = false;
    this.#driver.play();
  }
  pause() {
    this.#pausing = this.#playing;
    this.#driver.pause();
  }
  toggle() { if (this.#playing) this.pause(); else this.play(); }

  /** @param {number} time */
  seek(time) {
    const to = Math.min(Math.max(0, time), this.duration);
    if (this.#loop) this.#loop = sought(this.#loop, to, performance.now());
    this.#seekSource(to);
    this.#events.emit("time", to);
  }

  /** A published segment may start just before its source does. @param {number} time */
  #seekSource(time) { this.#driver.seek(Math.max(0, time + this.segment.start)); }

  /** Pause and move by frames. @param {number} frames */
  step(frames) {
    this.pause();
    this.seek(this.time + frames * this.#driver.frame());
  }

  /** @param {number} rate */
  setRate(rate) { this.#driver.setRate(rate); }

  /** Set the window and loop over it. @param {number} start @param {number} end */
  loop(start, end) {
    this.#window = { start, end };
    this.#loop = makeLoop(start, end);
    this.#events.emit("loop", true);
  }

  /** Switch the loop of the window on or off. @param {boolean} on */
  setLooping(on) {
    this.#loop = on && this.#window ? makeLoop(this.#window.start, this.#window.end) : null;
    this.#events.emit("loop", this.looping);
  }

  destroy() {
    cancelAnimationFrame(this.#frame);
    document.removeEventListener("visibilitychange", this.#onHidden);
    this.#driver.destroy();
    this.#events.clear();
  }

  #tick = (/** @type {number} */ now) => {
    this.#frame = requestAnimationFrame(this.#tick);
    if (this.state !== "ready") return;
    const time = this.time;
    if (this.#playing) this.#keepInside(time, now);
    this.#events.emit("time", this.time);
  };

  /** @param {number} time @param {number} now */
  #keepInside(time, now) {
    if (this.#loop) {
      const { loop, jump } = look(this.#loop, time, now);
      this.#loop = loop;
      if (jump) return this.#seekSource(loop.start);
    }
    if (time >= this.duration && (!this.#loop || this.#loop.free)) this.pause();
  }

  /** The source's own end: the loop goes on, whatever it waited for. @returns {void} */
  #ended() {
    if (!this.#loop) return this.#heard("pause");
    this.#loop = makeLoop(this.#loop.start, this.#loop.end);
    this.#seekSource(this.#loop.start);
    this.#driver.play();
  }

  /** @param {string} name @param {any} [value] @returns {void} */
  #heard(name, value) {
    if (name === "ended") return this.#ended();
    // A source that was seeking tells that it plays after it was asked to pause.
    if (name === "play" && this.#pausing) return this.#driver.pause();
    if (name === "pause") this.#pausing = false;
    if (name === "play" || name === "pause") this.#playing = name === "play";
    if (name === "ready" || name === "error") this.#setState(name);
    if (name === "play" && this.state === "error") this.#setState("ready"); // autoplay was blocked
    this.#events.emit(name, value);
  }

  /** @param {string} state */
  #setState(state) {
    this.state = state;
    if (state === "error") this.#playing = false;
    this.#events.emit("state", state);
  }
}
