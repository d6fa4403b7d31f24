// @ts-check
/** Reports: what the reader or the player found out about the video, told to the server. */
import { sendJson } from "../http.js";
import { part, set } from "./dom.js";

/** What a player's reason says about the source, in the words of the server. */
const STATES = { removed: "removed", bad_id: "removed", embedding_off: "embedding_off", file_missing: "removed", file_broken: "blocked" };

/**
 * The choices stand in a row above the player: nothing may drop down over it. A choice is sent
 * when it is pressed a second time; the focus starts on the row, so that no key sends by chance.
 * @param {HTMLElement} root @param {string} url
 */
export function setUpReport(root, url) {
  const opener = part(root, "[data-report-open]"), choices = part(root, "[data-report]");
  const said = part(root, "[data-report-said]");
  const note = /** @type {HTMLInputElement} */ (part(root, "[data-report-note]"));
  let chosen = ""; // pressed once
  const show = (/** @type {boolean} */ open) => {
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    if (!open && active && choices.contains(active)) active.blur(); // Space plays again
    choices.hidden = !open;
    set(opener, { "aria-expanded": String(open) });
    chosen = said.textContent = "";
    if (open) choices.focus();
  };
  const send = async (/** @type {string} */ state) => {
    if (state === "other" && !note.value.trim()) {
      said.textContent = "Say in the note what is wrong.";
      return note.focus();
    }
    const answer = await sendJson("POST", url, { state, note: note.value }).catch(() => null);
    said.textContent = answer?.ok ? "" : "The report did not arrive. Try again.";
    if (!answer?.ok) return;
    if (state === "identifier") return location.reload(); // the server sends no picture any more
    note.value = "";
    show(false);
    said.textContent = "Reported, thank you.";
  };
  const choose = (/** @type {string} */ state, /** @type {string} */ label) => {
    if (chosen === state || (state === "other" && !note.value.trim())) return void send(state);
    chosen = state;
    said.textContent = `Press again to report: this video ${label}. Esc reports nothing.`;
  };
  const toggle = () => show(choices.hidden);
  opener.addEventListener("click", toggle);
  part(choices, "[data-report-cancel]").addEventListener("click", () => show(false));
  for (const button of choices.querySelectorAll("[data-state]")) {
    const label = button.textContent?.trim() ?? "";
    button.addEventListener("click", () => choose(button.getAttribute("data-state") ?? "", label));
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
