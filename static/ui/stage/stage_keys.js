// @ts-check
/** The stage's keys besides those of the transport, for the one registry. */
/** @param {import("./stage.js").Stage} stage @returns {import("../keys.js").Binding[]} */
export function stageKeys(stage) {
  const keys = [...looking(stage), ...changing(stage)];
  return stage.fixed ? keys.filter((key) => key.group !== "Edit") : keys;
}

/** @param {import("./stage.js").Stage} stage @returns {import("../keys.js").Binding[]} */
function looking(stage) {
  return [
    { group: "Play", keys: ["KeyM"], label: "model's view", run: () => stage.showModel(!stage.model.on) },
    { group: "Play", keys: ["Shift+KeyM"], label: "the file that a model gets", run: () => stage.clip.toggle() },
    { group: "Play", keys: ["KeyF"], label: "report the video", run: () => stage.reports.toggle() },
  ];
}

/** @param {import("./stage.js").Stage} stage @returns {import("../keys.js").Binding[]} */
function changing(stage) {
  const group = "Edit";
  return [
    { group, keys: ["BracketLeft"], label: "window starts here",
      run: () => stage.moveEdge("start", stage.player.time) },
    { group, keys: ["BracketRight"], label: "window ends here",
      run: () => stage.moveEdge("end", stage.player.time) },
    ...nudges(stage, "start", "BracketLeft", -1), ...nudges(stage, "end", "BracketRight", 1),
    { group, keys: ["Semicolon"], label: "start to the nearest event boundary", run: () => stage.snapEdge("start") },
    { group, keys: ["Quote"], label: "end to the nearest event boundary", run: () => stage.snapEdge("end") },
    { group, keys: ["KeyW"], label: "save the window", run: () => void stage.draft.save() },
  ];
}

/**
 * An edge outwards with Shift, inwards with Alt; with Ctrl too a whole second.
 * @param {import("./stage.js").Stage} stage @param {"start" | "end"} edge @param {string} key @param {-1 | 1} out
 * @returns {import("../keys.js").Binding[]}
 */
function nudges(stage, edge, key, out) {
  const ways = /** @type {[string, number][]} */ ([["Shift+", 0.1 * out], ["Alt+", -0.1 * out], ["Ctrl+Shift+", out], ["Ctrl+Alt+", -out]]);
  return ways.map(([held, by]) => ({
    group: "Edit", keys: [held + key], repeat: true,
    label: `${edge} ${Math.abs(by)} s ${by < 0 ? "earlier" : "later"}`,
    run: () => stage.moveEdge(edge, stage.draft.window[edge] + by),
  }));
}
