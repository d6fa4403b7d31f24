// @ts-check
// The form of a new round: what it takes is asked from the server while the form is filled in.

import { post } from "./http.js";

const PAUSE = 300; // ms after the last change

/** @param {HTMLFormElement} form */
function setUpForm(form) {
  const part = /** @type {HTMLElement} */ (form.querySelector("[data-estimate-part]"));
  const listed = /** @type {HTMLElement} */ (form.querySelector("[data-listed]"));
  const which = /** @type {HTMLSelectElement} */ (form.elements.namedItem("which"));
  let timer = 0;
  let asked = 0;

  async function ask() {
    const mine = ++asked;
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    body.set("part", "estimate");
    part.setAttribute("aria-busy", "true");
    const answer = await post(form.dataset.estimate ?? "", body).catch(() => null);
    if (mine !== asked) return;
    part.removeAttribute("aria-busy");
    if (answer?.ok && !answer.redirected) part.innerHTML = await answer.text(); // our own template
  }

  function changed() {
    listed.hidden = which.value !== "listed";
    clearTimeout(timer);
    timer = window.setTimeout(ask, PAUSE);
  }

  form.addEventListener("input", changed);
  changed();
}

setUpForm(/** @type {HTMLFormElement} */ (document.querySelector("[data-round-form]")));
