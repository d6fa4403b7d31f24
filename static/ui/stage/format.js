// @ts-check
/** Times as people read them. */

/** `m:ss.cc`, as everywhere on the page; negative times read as 0. @param {number} seconds */
export function clock(seconds) {
  const hundredths = Math.max(0, Math.round(seconds * 100));
  const rest = hundredths % 6000;
  const cc = String(rest % 100).padStart(2, "0");
  return `${Math.floor(hundredths / 6000)}:${String(Math.floor(rest / 100)).padStart(2, "0")}.${cc}`;
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
