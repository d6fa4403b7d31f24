// @ts-check
/** Reports: what the reader or the player found out about the video, told to the server. */
import { sendJson } from "../http.js";
import { part, set } from "./dom.js";

/** What a player's reason says about the source, in the words of the server. */
const STATES = { removed: "removed", bad_id: "removed", embedding_off: "embedding_off", file_missing: "removed", file_broken: "blocked" };

/**
 * The choices stand in a row above the player: nothing may drop down over it.
 * @param {HTMLElement} root @param {string} url
 */
export function setUpReport(root, url) {
  const opener = part(root, "[data-report-open]"), choices = part(root, "[data-report]");
  const said = part(root, "[data-report-said]");
  const note = /** @type {HTMLInputElement} */ (part(root, "[data-report-note]"));
  const show = (/** @type {boolean} */ open) => {
    choices.hidden = !open;
    set(opener, { "aria-expanded": String(open) });
    if (open) part(choices, "button").focus();
    else if (choices.contains(document.activeElement)) opener.focus();
  };
  const send = async (/** @type {string} */ state) => {
    if (state === "other" && !note.value.trim()) {
      said.textContent = "Say in the note what is wrong.";
      return note.focus();
    }
    const answer = await sendJson("POST", url, { state, note: note.value }).catch(() => null);
    said.textContent = answer?.ok ? "Reported, thank you." : "The report did not arrive. Try again.";
    if (!answer?.ok) return;
    if (state === "identifier") return location.reload(); // the server sends no picture any more
    note.value = "";
    show(false);
  };
  const toggle = () => show(choices.hidden);
  opener.addEventListener("click", toggle);
  for (const button of choices.querySelectorAll("[data-state]")) {
    button.addEventListener("click", () => send(button.getAttribute("data-state") ?? ""));
  }
  choices.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    show(false);
  });
  return {
    toggle,
    /** @param {string} reason */
    found: (reason) => send(STATES[/** @type {keyof STATES} */ (reason)] ?? "blocked"),
  };
}
