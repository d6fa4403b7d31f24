// @ts-check
/** The keys of the ROI editor, for the one registry. */
import { ARROWS } from "./handles.js";
import { move, resize } from "./geometry.js";

/**
 * @param {{frame: () => {w: number, h: number}, box: () => import("./geometry.js").Box,
 *   change: (box: import("./geometry.js").Box, mark: string) => void, undo: () => void, reset: () => void,
 *   leave: () => void, save: () => void, "frame-back": () => void, "frame-forward": () => void,
 *   suggest: () => void, apply: () => void, dismiss: () => void, clip: () => void}} host
 * @returns {import("../keys.js").Binding[]}
 */
export function roiKeys(host) {
  const group = "Box";
  const names = /** @type {(keyof ARROWS)[]} */ (Object.keys(ARROWS));
  /** @param {string} held @param {number} px @param {boolean} resizing */
  const arrows = (held, px, resizing) => ({
    group, repeat: true, keys: names.map((name) => held + name),
    run: (/** @type {KeyboardEvent} */ event) => {
      const [x, y] = ARROWS[/** @type {keyof ARROWS} */ (event.code)], { w, h } = host.frame();
      const dx = (x * px) / w, dy = (y * px) / h, box = host.box();
      host.change(resizing ? resize(box, "se", dx, dy, host.frame()) : move(box, dx, dy, host.frame()),
        `keys ${held}${resizing}`);
    },
  });
  return [
    { ...arrows("", 1, false), label: "move the box 1 px", shown: ["←", "↑", "→", "↓"] },
    { ...arrows("Alt+", 10, false), label: "move 10 px", shown: ["Alt", "arrows"] },
    { ...arrows("Shift+", 1, true), label: "resize from the lower right", shown: ["⇧", "arrows"] },
    { ...arrows("Alt+Shift+", 10, true), label: "resize 10 px", shown: ["Alt", "⇧", "arrows"] },
    { group, keys: ["Comma"], label: "an earlier frame", repeat: true, run: host["frame-back"] },
    { group, keys: ["Period"], label: "a later frame", repeat: true, run: host["frame-forward"] },
    { group, keys: ["KeyG"], label: "suggest a box", run: host.suggest },
    { group, keys: ["KeyA"], label: "apply the suggested box", run: host.apply },
    { group, keys: ["KeyD"], label: "dismiss the suggestion", run: host.dismiss },
    { group, keys: ["KeyM"], label: "play the clip that a model gets", run: host.clip },
    { group, keys: ["KeyR"], label: "reset to the saved box", run: host.reset },
    { group, keys: ["KeyZ"], label: "undo", run: host.undo },
    { group, keys: ["Ctrl+Enter"], label: "save as a version", fields: true, run: host.save },
    { group, keys: ["Escape"], label: "leave; asks once if unsaved", run: host.leave },
  ];
}
