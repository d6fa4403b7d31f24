// @ts-check
/** The centre column of the review workspace: player, transport, timeline, event log. */
import { register } from "../keys.js";
import { fileDriver } from "../player/file.js";
import { Player } from "../player/player.js";
import { youtubeDriver } from "../player/youtube.js";
import { part, set } from "./dom.js";
import { windowDraft } from "./draft.js";
import { setUpEventLog } from "./event_log.js";
import { modelView } from "./model_view.js";
import { setUpReport } from "./report.js";
import { moveEdge } from "./scale.js";
import { screenOf } from "./screen.js";
import { setUpTimeline } from "./timeline.js";
import { follow, setUpTransport } from "./transport.js";
import { LEAST } from "./window_lane.js";

const NUDGE = 0.1;

/** @param {HTMLElement} root */
function setUpStage(root) {
  const data = JSON.parse(part(document, "#stage-data").textContent);
  const { source, video, item } = data;
  const duration = video.end - video.start, box = part(root, "[data-player]");
  const screen = screenOf(box, root.dataset.stills ?? ""), isFile = source.kind === "file";
  const draft = windowDraft(root, item, root.dataset.versions ?? "", (window) => changed(window, true));
  const report = setUpReport(root, root.dataset.report ?? "");
  const log = setUpEventLog(root, data.events, (time) => seek(time));
  const timeline = setUpTimeline(root, { duration, window: draft.window, events: data.events, windows: data.windows }, {
    seek: (time) => seek(time),
    change: (window, settled) => { draft.put(window); if (settled) changed(window, false); },
  });
  const model = modelView(box, item.roi ?? video.roi, { stills: root.dataset.stills ?? "", isFile });
  /** @type {Player} */ let player;
  let blocked = false;

  const seek = (/** @type {number} */ time) => { player.seek(time); if (model.on && !isFile) model.show(true, time); };
  /** @param {import("./scale.js").Span} window @param {boolean} redraw */
  function changed(window, redraw) {
    if (redraw) timeline.show(window);
    log.countIn(window);
    if (player.looping) player.loop(window.start, window.end);
  }
  function open() {
    player?.destroy();
    screen.loading(draft.window);
    const start = video.start + draft.window.start;
    player = new Player(isFile
      ? fileDriver({ box: screen.place, url: source.url, start })
      : youtubeDriver({ box: screen.place, id: source.key, start, scriptOrigin: root.dataset.scriptOrigin ?? "", host: root.dataset.host ?? "" }), video);
    player.loop(draft.window.start, draft.window.end);
    follow(root, player, () => draft.window.end);
    player.on("time", (time) => { timeline.move(time); log.light(time); });
    player.on("ready", () => { screen.ready(); player.play(); });
    player.on("play", () => { screen.ready(); if (model.on && !isFile) setModel(false); });
    player.on("error", failed);
    Object.assign(root, { player }); // tests and the page's other parts find it here
  }
  /** @param {{reason: string, code: string | number}} error */
  function failed(error) {
    // Blocked a second time, the player itself has to be pressed: then it must be seen.
    if (error.reason === "autoplay" && blocked) return screen.ready();
    blocked ||= error.reason === "autoplay";
    const url = root.dataset.source;
    screen.failed(error, data.windows.length, {
      retry: open, play: () => player.play(), report: () => void report.found(error.reason),
      still: () => void screen.still(draft.window.start),
      ...(isFile || !url ? {} : { open: () => window.open(url, "_blank", "noopener") }),
    });
  }
  function setModel(/** @type {boolean} */ on) {
    if (on && !isFile) player.pause();
    model.show(on, player.time);
    set(part(root, '[data-do="model"]'), { "aria-checked": String(on) });
  }
  /** @param {"start" | "end"} edge @param {number} time */
  function move(edge, time) {
    draft.put(moveEdge(draft.window, edge, time, { duration, least: LEAST }));
    changed(draft.window, true);
  }

  setUpTransport(root, () => player, () => draft.window);
  part(root, '[data-do="model"]').addEventListener("click", () => setModel(!model.on));
  register([
    { group: "Play", keys: ["KeyM"], label: "model's view", run: () => setModel(!model.on) },
    { group: "Edit", keys: ["BracketLeft"], label: "window starts here", run: () => move("start", player.time) },
    { group: "Edit", keys: ["BracketRight"], label: "window ends here", run: () => move("end", player.time) },
    { group: "Edit", keys: ["Shift+BracketLeft"], label: "start 0.1 s earlier", repeat: true, run: () => move("start", draft.window.start - NUDGE) },
    { group: "Edit", keys: ["Shift+BracketRight"], label: "end 0.1 s later", repeat: true, run: () => move("end", draft.window.end + NUDGE) },
    { group: "Edit", keys: ["KeyW"], label: "save the window", run: () => void draft.save() },
    { group: "Edit", keys: ["KeyF"], label: "report the video", run: () => report.open() },
  ]);
  open();
  log.countIn(draft.window);
}

for (const root of document.querySelectorAll("[data-stage]")) setUpStage(/** @type {HTMLElement} */ (root));
