// @ts-check
/** A box that is not saved outlives a reload and a crash, based on the versions it was drawn on. */
import { same } from "./geometry.js";

/** @typedef {import("./geometry.js").Box} Box */

/** @param {HTMLElement} root @param {any} data see annotation/queries/roi.py; its versions may be set back */
export function keptBox(root, data) {
  const key = `box/${root.dataset.user}/${data.item.id}`;
  const now = { item: data.item.version, video: data.video.version };
  const found = read(key);
  let at = found?.at ?? 0;

  /** @param {{item: number, video: number}} versions */
  function base({ item, video }) {
    [data.item.version, data.video.version] = [item, video];
  }
  function forget() {
    localStorage.removeItem(key);
    at = 0;
    base(now);
  }
  return {
    forget,
    /** @param {Box} box */
    keep(box) {
      if (same(box, data.roi)) return forget();
      at ||= Date.now();
      const { version: item } = data.item, { version: video } = data.video;
      localStorage.setItem(key, JSON.stringify({ box, at, item, video }));
    },
    /** Bring it back. @param {(box: Box, mark: string) => void} change @param {(tone: "info", text: string) => void} say */
    offer(change, say) {
      if (!found || same(found.box, data.roi)) return forget();
      base(found);
      change(found.box, "");
      const time = new Date(found.at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
      const moved = found.item !== now.item || found.video !== now.video ? ", drawn before the last version," : "";
      say("info", `Your unsaved box of ${time}${moved} is back. R puts it away, Ctrl Enter saves it.`);
    },
  };
}

/** @param {string} key @returns {{box: Box, at: number, item: number, video: number} | null} */
function read(key) {
  try {
    const { box, at, item, video } = JSON.parse(localStorage.getItem(key) ?? "null");
    const numbers = [box.x, box.y, box.w, box.h, at, item, video];
    return numbers.every(Number.isFinite) ? { box, at, item, video } : null;
  } catch {
    return null;
  }
}
