// @ts-check
/** The event log below the timeline: what the narration says, with a jump to each entry. */
import { html, part, set } from "./dom.js";
import { clock } from "./format.js";

/** @typedef {{start: number, end: number, action: string, interpretation: string}} LogEvent */
/** @typedef {{start: number, end: number}} Span */

/** Events that share time with a window. @param {LogEvent[]} events @param {Span} window */
export const spanned = (events, window) =>
  events.filter((event) => event.start < window.end && event.end > window.start);

/** @param {LogEvent[]} events @param {number} time */
export const at = (events, time) => events.findIndex((event) => time >= event.start && time < event.end);

/**
 * @param {HTMLElement} root @param {LogEvent[]} events @param {(time: number) => void} seek
 * @param {number} [closed] entries that open with the reader's answers
 */
export function setUpEventLog(root, events, seek, closed = 0) {
  const list = part(root, "[data-event-list]");
  const rows = events.map((event) => row(event, seek));
  list.replaceChildren(...rows);
  let current = -1;
  return {
    /** @param {Span} window */
    countIn: (window) => {
      const n = spanned(events, window).length;
      const count = `${events.length} ${events.length === 1 ? "event" : "events"} from the narration`;
      const rest = closed ? `${closed} ${closed === 1 ? "opens" : "open"} with your answers` : "";
      const spans = closed ? "" : `; the window spans ${n}`; // of what is shut it may span some
      const shown = events.length ? `${count}${spans}` : "";
      part(root, "[data-event-count]").textContent =
        [shown, rest].filter(Boolean).join("; ") || "This video has no event log.";
    },
    /** @param {number} time */
    light: (time) => {
      const next = at(events, time);
      if (next === current) return;
      if (rows[current]) set(rows[current], { "aria-current": false });
      current = next;
      if (!rows[current]) return;
      set(rows[current], { "aria-current": "true" });
      keepInView(list, rows[current]);
    },
  };
}

/** @param {LogEvent} event @param {(time: number) => void} seek */
function row(event, seek) {
  const jump = html("button", { type: "button", class: "at nowrap", title: "Play from here" },
    `${clock(event.start)}–${clock(event.end)}`);
  const item = html("li", {}, jump, html("span", {}, event.action), html("span", {}, event.interpretation));
  item.addEventListener("click", () => {
    if (String(getSelection() ?? "") === "") seek(event.start);
  });
  return item;
}

/** Scroll the list alone, never the page. @param {HTMLElement} list @param {HTMLElement} row */
function keepInView(list, row) {
  const top = row.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + row.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = Math.max(0, top - row.offsetHeight);
  }
}
