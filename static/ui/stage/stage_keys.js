// @ts-check
/** The stage's keys besides those of the transport, for the one registry. */
const NUDGE = 0.1;

/** @param {import("./stage.js").Stage} stage @returns {import("../keys.js").Binding[]} */
export function stageKeys(stage) {
  const group = "Edit";
  const { draft } = stage;
  return [
    { group: "Play", keys: ["KeyM"], label: "model's view", run: () => stage.showModel(!stage.model.on) },
    { group, keys: ["BracketLeft"], label: "window starts here",
      run: () => stage.moveEdge("start", stage.player.time) },
    { group, keys: ["BracketRight"], label: "window ends here",
      run: () => stage.moveEdge("end", stage.player.time) },
    { group, keys: ["Shift+BracketLeft"], label: "start 0.1 s earlier", repeat: true,
      run: () => stage.moveEdge("start", draft.window.start - NUDGE) },
    { group, keys: ["Shift+BracketRight"], label: "end 0.1 s later", repeat: true,
      run: () => stage.moveEdge("end", draft.window.end + NUDGE) },
    { group, keys: ["KeyW"], label: "save the window", run: () => void draft.save() },
    { group, keys: ["KeyF"], label: "report the video", run: () => stage.reports.toggle() },
  ];
}
