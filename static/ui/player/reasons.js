// @ts-check
/** Why a clip does not play: the codes of the players in our own words. */

/** @typedef {"bad_id"|"player"|"removed"|"embedding_off"|"referrer"|"autoplay"|"unreachable"|"file_missing"|"file_broken"|"file_slow"|"unknown"} Reason */

/** @type {Record<number, Reason>} */
const YOUTUBE = {
  2: "bad_id",
  5: "player",
  100: "removed",
  101: "embedding_off",
  150: "embedding_off",
  153: "referrer",
};

/** @param {number} code @returns {Reason} */
export const reasonOfYouTube = (code) => YOUTUBE[code] ?? "unknown";

/** Codes of MediaError. @param {number} code @returns {Reason} */
export function reasonOfMedia(code) {
  if (code === 2) return "file_slow";
  return code === 3 ? "file_broken" : "file_missing";
}
