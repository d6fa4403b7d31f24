// @ts-check
/** What a save is about: the video, this item alone, or this item with the video's box again. */
import { part } from "../stage/dom.js";
import { same } from "./geometry.js";

/** @typedef {{item: number | null, base: number, name: string, follow: boolean}} Scope */

/** @param {HTMLElement} root @param {any} data see annotation/queries/roi.py @returns {Scope} */
export function scopeOf(root, { item, video }) {
  const name = part(root, '[name="scope"]:checked').value;
  if (name === "video") return { item: null, base: video.version, name: "v", follow: false };
  return { item: item.id, base: item.version, name: "item v", follow: name === "follow" };
}

/** Whether a save would change something. @param {Scope} scope @param {any} data @param {import("./geometry.js").Box} box */
export function canSave(scope, data, box) {
  if (scope.item === null) return !same(box, data.video.roi);
  return scope.follow || !same(box, data.roi) || !data.overridden;
}
