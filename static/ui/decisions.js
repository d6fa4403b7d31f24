// @ts-check
// The panel of the own last ten decisions: one key opens it, a digit takes one back.
// <dialog id="decisions-dialog" data-decisions="URL"><div data-decisions-list>

import { csrfToken } from "./http.js";
import { register } from "./keys.js";

/** @param {HTMLDialogElement} dialog */
function setUpDecisions(dialog) {
  const list = /** @type {HTMLElement} */ (dialog.querySelector("[data-decisions-list]"));
  let changed = false;

  /** @param {string} url @param {RequestInit} [options] */
  async function load(url, options) {
    list.setAttribute("aria-busy", "true");
    const answer = await fetch(url, { credentials: "same-origin", ...options }).catch(() => null);
    if (answer?.ok && !answer.redirected) {
      list.innerHTML = await answer.text(); // our own template, escaped by the server
      if (list.querySelector("[data-undone]")) changed = true;
    } else {
      const note = document.createElement("p");
      note.className = "note bad";
      note.textContent = answer ? "The server did not answer as it should." : "The server cannot be reached.";
      list.prepend(note);
    }
    list.removeAttribute("aria-busy");
  }

  function open() {
    dialog.showModal();
    void load(dialog.dataset.decisions ?? "");
  }

  list.addEventListener("submit", (event) => {
    event.preventDefault();
    if (list.hasAttribute("aria-busy")) return;
    const form = /** @type {HTMLFormElement} */ (event.target);
    const said = new URLSearchParams();
    for (const name of ["kind", "key"]) said.set(name, String(new FormData(form).get(name)));
    void load(form.action, { method: "POST", body: said, headers: { "X-CSRFToken": csrfToken() } });
  });
  dialog.addEventListener("keydown", (event) => {
    const digit = event.code.match(/^(?:Digit|Numpad)(\d)$/)?.[1];
    if (!digit || event.ctrlKey || event.altKey || event.metaKey) return;
    const entries = list.querySelectorAll("[data-undo-entry]");
    const entry = entries[(Number(digit) + 9) % 10];
    if (entry instanceof HTMLFormElement) entry.requestSubmit();
  });
  // What the page shows may be taken back by now.
  dialog.addEventListener("close", () => changed && window.location.reload());
  register([{ group: "Decide", keys: ["KeyH"], label: "your last ten decisions, each to take back", run: open }]);
  for (const button of document.querySelectorAll("[data-open-decisions]")) {
    button.addEventListener("click", open);
  }
}

const dialog = document.getElementById("decisions-dialog");
if (dialog instanceof HTMLDialogElement) setUpDecisions(dialog);
