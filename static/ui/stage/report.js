// @ts-check
/** "Clip won't play": tells the server what the reader or the player found out about the source. */
import { sendJson } from "../http.js";
import { part } from "./dom.js";

/** What a player's reason says about the source, in the words of the server. */
const STATES = { removed: "removed", bad_id: "removed", embedding_off: "embedding_off", file_missing: "removed", file_broken: "blocked" };

/** @param {HTMLElement} root @param {string} url */
export function setUpReport(root, url) {
  const menu = part(root, "[data-report]");
  const said = part(root, "[data-report-said]");
  const send = async (/** @type {string} */ state) => {
    const answer = await sendJson("POST", url, { state }).catch(() => null);
    said.textContent = answer?.ok ? "Reported, thank you." : "The report did not arrive. Try again.";
    if (answer?.ok) menu.open = false;
  };
  for (const button of menu.querySelectorAll("[data-state]")) {
    button.addEventListener("click", () => send(button.getAttribute("data-state") ?? ""));
  }
  return {
    open: () => { menu.open = !menu.open; part(menu, menu.open ? "[data-state]" : "summary").focus(); },
    /** @param {string} reason */
    found: (reason) => send(STATES[/** @type {keyof STATES} */ (reason)] ?? "blocked"),
  };
}
