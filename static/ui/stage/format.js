// @ts-check
/** Times as people read them. */

const two = (/** @type {number} */ number) => String(number).padStart(2, "0");

/** `m:ss.cc`, above an hour `h:mm:ss.cc`, as on the server; negative times read as 0. @param {number} seconds */
export function clock(seconds) {
  const hundredths = Math.max(0, Math.round(seconds * 100)), minutes = Math.floor(hundredths / 6000);
  const head = minutes < 60 ? String(minutes) : `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
  return `${head}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`;
}

/** `m:ss`, or `m:ss.c` where `fine`. @param {number} seconds @param {boolean} [fine] */
export function short(seconds, fine = false) {
  const tenths = Math.max(0, fine ? Math.round(seconds * 10) : Math.round(seconds) * 10);
  const text = `${Math.floor(tenths / 600)}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}`;
  return fine ? `${text}.${tenths % 10}` : text;
}

/** Seconds from `m:ss.cc`, `ss.cc` or `h:mm:ss`; null where it is none. @param {string} text */
export function parse(text) {
  if (!/^\s*(\d{1,2}:){0,2}\d{1,5}(\.\d{1,3})?\s*$/.test(text)) return null;
  return text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}
