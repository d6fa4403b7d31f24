// @ts-check
/** Our own controls below the player: buttons, time, speed, loop, and their keys. */
import { register } from "../keys.js";
import { clock } from "./format.js";
import { part, set } from "./dom.js";

const SPEEDS = [0.25, 0.5, 1, 1.5, 2];

/** @typedef {import("../player/player.js").Player} Player */

/**
 * @param {HTMLElement} root @param {() => Player} player the one of now: a retry makes a new one
 * @param {() => {start: number, end: number}} window
 */
export function setUpTransport(root, player, window) {
  const toStart = () => player().seek(window().start);
  const actions = {
    "to-start": toStart,
    back: () => player().step(-1),
    play: () => player().toggle(),
    forward: () => player().step(1),
    loop: () => player().setLooping(!player().looping),
  };
  for (const [name, act] of Object.entries(actions)) {
    part(root, `[data-do="${name}"]`).addEventListener("click", act);
  }
  for (const button of root.querySelectorAll("[data-speed]")) {
    button.addEventListener("click", () => player().setRate(Number(button.getAttribute("data-speed"))));
  }
  const faster = (/** @type {number} */ by) => {
    const offered = SPEEDS.filter((speed) => player().rates.includes(speed));
    const next = offered[offered.indexOf(player().rate) + by];
    if (next) player().setRate(next);
  };
  const group = "Play";
  register([
    { group, keys: ["Space"], label: "play or pause", run: actions.play },
    { group, keys: ["Comma"], label: "one frame back", run: actions.back, repeat: true },
    { group, keys: ["Period"], label: "one frame forward", run: actions.forward, repeat: true },
    { group, keys: ["Minus"], label: "slower", run: () => faster(-1) },
    { group, keys: ["Equal"], label: "faster", run: () => faster(1) },
    { group, keys: ["KeyL"], label: "loop", run: actions.loop },
    { group, keys: ["Home"], label: "window start", run: toStart },
  ]);
}

/** Show what a player does. @param {HTMLElement} root @param {Player} player @param {() => number} end */
export function follow(root, player, end) {
  const now = part(root, "[data-now]");
  const of = part(root, "[data-of]");
  const button = part(root, '[data-do="play"]');
  const show = () => {
    set(button, { "aria-label": player.playing ? "Pause" : "Play", "data-playing": player.playing });
    set(part(root, '[data-do="loop"]'), { "aria-pressed": String(player.looping) });
    for (const speed of root.querySelectorAll("[data-speed]")) {
      const value = Number(speed.getAttribute("data-speed"));
      set(speed, {
        "aria-pressed": String(Math.abs(value - player.rate) < 0.01),
        disabled: player.state === "ready" && !player.rates.includes(value),
      });
    }
  };
  player.on("time", (time) => {
    const text = clock(time), total = clock(end());
    if (now.textContent !== text) now.textContent = text;
    if (of.textContent !== total) of.textContent = total;
  });
  for (const event of ["play", "pause", "rate", "loop", "state"]) player.on(event, show);
  show();
}
