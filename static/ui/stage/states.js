// @ts-check
/**
 * What stands in the player's place while no clip plays: the cause, what is safe, one action.
 * The card never covers a player: the player's part is hidden while a card is shown.
 */
import { html, icon } from "./dom.js";
import { clock } from "./format.js";

/** @typedef {"retry" | "still" | "report" | "open" | "play"} Action */
/** @typedef {{tone: string, icon: string, title: string, text: string, actions: Action[]}} Card */

/** @type {Record<string, Card>} */
const CARDS = {
  unreachable: { tone: "warn", icon: "alert", title: "YouTube cannot be reached from here",
    text: "Hospital networks often block it. Your queue is safe.", actions: ["retry", "still", "open"] },
  removed: { tone: "bad", icon: "cross", title: "This video was removed or made private",
    text: "Code {code}. {items} affected.", actions: ["report", "still"] },
  embedding_off: { tone: "warn", icon: "alert", title: "Its owner does not let this video play on other pages",
    text: "Code {code}. {items} affected.", actions: ["open", "still", "report"] },
  referrer: { tone: "bad", icon: "alert", title: "YouTube does not accept this site's address",
    text: "Code 153: the page sends no referrer. An administrator has to look at the headers.",
    actions: ["retry", "still", "open"] },
  bad_id: { tone: "bad", icon: "cross", title: "YouTube does not know this video",
    text: "Code 2: the id is not valid. {items} affected.", actions: ["report"] },
  player: { tone: "warn", icon: "alert", title: "YouTube's player failed twice",
    text: "Code 5. Often it plays a minute later. Your queue is safe.", actions: ["retry", "still", "open"] },
  autoplay: { tone: "", icon: "video", title: "Press Space to play",
    text: "The browser waits for you before it plays.", actions: ["play"] },
  file_missing: { tone: "bad", icon: "cross", title: "The clip's file cannot be played",
    text: "It is missing, or it is no video. {items} affected.", actions: ["retry", "report"] },
  file_broken: { tone: "bad", icon: "cross", title: "The clip's file is damaged",
    text: "It stops in the middle. {items} affected.", actions: ["retry", "still", "report"] },
  file_slow: { tone: "warn", icon: "alert", title: "The clip does not arrive",
    text: "The connection broke or is very slow. Your queue is safe.", actions: ["retry", "still"] },
  unknown: { tone: "warn", icon: "alert", title: "The clip does not play",
    text: "Code {code}. Your queue is safe.", actions: ["retry", "still", "open", "report"] },
};

/** @type {Record<Action, {label: string, icon: string}>} */
const ACTIONS = {
  retry: { label: "Try again", icon: "retry" },
  still: { label: "Use the still", icon: "video" },
  report: { label: "Report it", icon: "flag" },
  open: { label: "Open on YouTube", icon: "ext" },
  play: { label: "Play", icon: "play" },
};

/**
 * @param {{reason: string, code: string | number}} error @param {number} items how many are affected
 * @param {Partial<Record<Action, () => void>>} does what each action does; those missing are not offered
 */
export function errorCard(error, items, does) {
  const card = CARDS[error.reason] ?? CARDS.unknown;
  const count = `${items} ${items === 1 ? "item is" : "items are"}`;
  const text = card.text.replace("{code}", String(error.code)).replace("{items}", count);
  const buttons = card.actions.filter((name) => does[name]).map((name) => {
    const button = html("button", { type: "button", class: "btn small", "data-card": name },
      icon(ACTIONS[name].icon), ACTIONS[name].label);
    button.addEventListener("click", () => does[name]?.());
    return button;
  });
  return html("div", { role: "alert", "data-fault": error.reason },
    html("span", { class: card.tone }, icon(card.icon)), html("strong", {}, card.title),
    html("span", {}, text), html("span", { class: "row wrap" }, ...buttons));
}

/** @param {{start: number, end: number}} window */
export function loadingCard(window) {
  return html("div", { role: "status" }, icon("video"), html("strong", {}, "Loading the clip"),
    html("span", {}, `${clock(window.start)} to ${clock(window.end)}`));
}
