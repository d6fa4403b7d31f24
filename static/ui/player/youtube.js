// @ts-check
/**
 * Driver for YouTube's IFrame API. It never trusts `endSeconds` (a seek drops it), never draws
 * over the player, and takes silence for what it is: no event within five seconds means that
 * the network blocks YouTube, for which the API has no event of its own.
 */
import { makeClock, read, report, seekTo } from "./clock.js";
import { keepFocus } from "./focus.js";
import { reasonOfYouTube } from "./reasons.js";
import { loadYouTube, playerOptions } from "./youtube_script.js";

const ANSWER_MS = 5000;
const FRAME = 1 / 30; // the API knows no frames
const ENDED = 0, PLAYING = 1, PAUSED = 2;

/**
 * @typedef {object} YouTubeOptions
 * @property {HTMLElement} box
 * @property {string} id the eleven characters
 * @property {number} start seconds of the source
 * @property {string} scriptOrigin
 * @property {string} host origin of the player's frame; "" leaves the choice to the script
 */

/**
 * @param {YouTubeOptions} options
 * @returns {(wire: import("./player.js").Wire) => import("./player.js").Driver}
 */
export const youtubeDriver = (options) => (wire) => new YouTube(options, wire);

class YouTube {
  /** @type {any} */ #api = null;
  #clock = makeClock();
  #playing = false;
  #rate = 1; // as asked for: the API's own getter lags
  #retried = false;
  #gone = false;
  #timer = 0;

  /** @param {YouTubeOptions} options @param {import("./player.js").Wire} wire */
  constructor(options, wire) {
    this.options = options;
    this.wire = wire;
    this.releaseFocus = keepFocus(options.box);
    this.#timer = window.setTimeout(() => this.#fail("unreachable", "no answer"), ANSWER_MS);
    loadYouTube(options.scriptOrigin, ANSWER_MS).then(
      (YT) => this.#gone || this.#make(YT),
      (error) => this.#fail("unreachable", error.message),
    );
  }

  /** @param {any} YT */
  #make(YT) {
    const place = this.options.box.appendChild(document.createElement("div")); // the API replaces it
    /** @typedef {{data: number}} Told */
    const player = new YT.Player(place, playerOptions(this.options, {
      onReady: () => this.#ready(player),
      onStateChange: (/** @type {Told} */ event) => this.#changed(event.data),
      onPlaybackRateChange: (/** @type {Told} */ event) => this.#paced(event.data),
      onError: (/** @type {Told} */ event) => this.#error(event.data),
      onAutoplayBlocked: () => this.#fail("autoplay", "blocked"),
    }));
    const frame = player.getIframe?.();
    if (frame) frame.tabIndex = -1;
  }

  /** @param {any} player */
  #ready(player) {
    this.#answered(() => {
      this.#api = player;
      player.mute();
      player.getIframe().tabIndex = -1;
      this.seek(this.options.start);
      this.wire.emit("ready");
    });
  }

  /** @param {number} state */
  #changed(state) {
    this.#answered(() => {
      this.#playing = state === PLAYING;
      if (state === PLAYING) this.wire.emit("play");
      if (state === PAUSED) this.wire.emit("pause");
      if (state === ENDED) this.wire.emit("ended");
    });
  }

  /** @param {number} rate */
  #paced(rate) {
    this.#rate = rate;
    this.wire.emit("rate", rate);
  }

  /** @param {number} code */
  #error(code) {
    this.#answered(() => {
      if (code === 5 && this.#api && !this.#retried) {
        this.#retried = true;
        this.#api.loadVideoById({ videoId: this.options.id, startSeconds: this.options.start });
        return;
      }
      this.wire.emit("error", { reason: reasonOfYouTube(code), code });
    });
  }

  /** @param {() => void} then */
  #answered(then) {
    clearTimeout(this.#timer);
    if (!this.#gone) then();
  }

  /** @param {string} reason @param {string} code */
  #fail(reason, code) {
    this.#answered(() => this.wire.emit("error", { reason, code }));
  }

  get #speed() { return this.#playing ? this.rate() : 0; }

  play() { this.#api?.playVideo(); }
  pause() { this.#api?.pauseVideo(); }
  /** @param {number} time */
  seek(time) {
    if (!this.#api) return;
    this.#clock = seekTo(this.#clock, time, performance.now(), this.#speed);
    this.#api.seekTo(time, true);
  }
  time() {
    if (!this.#api) return this.options.start;
    const now = performance.now();
    this.#clock = report(this.#clock, this.#api.getCurrentTime() ?? 0, now, this.#speed);
    return read(this.#clock, now, this.#speed);
  }
  duration() { return this.#api?.getDuration() ?? 0; }
  frame() { return FRAME; }
  rate() { return this.#rate; }
  /** @param {number} rate */
  setRate(rate) {
    if (!this.#api) return;
    this.#rate = rate;
    this.#api.setPlaybackRate(rate);
  }
  rates() { return this.#api?.getAvailablePlaybackRates() ?? [1]; }
  destroy() {
    this.#gone = true;
    clearTimeout(this.#timer);
    this.releaseFocus();
    this.#api?.destroy();
    this.options.box.replaceChildren();
  }
}
