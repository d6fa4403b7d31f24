// @ts-check
// The theme button, without a new page: <form data-theme-form> with one button, and
// data-theme on <html>. The server renders the theme at the next load, so nothing flashes.

import { post } from "./http.js";

/** The theme that is seen now. */
export function shownTheme() {
  const set = document.documentElement.dataset.theme;
  if (set) return set;
  return matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}

/**
 * @param {HTMLButtonElement} button
 * @param {string} theme
 */
function show(button, theme) {
  const next = theme === "light" ? "dark" : "light";
  button.value = next;
  button.setAttribute("aria-label", `Theme: ${theme}. Change to ${next}`);
  button.querySelector("use")?.setAttribute("href", theme === "light" ? "#i-sun" : "#i-moon");
}

export function setUpTheme() {
  const form = document.querySelector("[data-theme-form]");
  const button = form?.querySelector("button");
  if (!(form instanceof HTMLFormElement) || !button) return;
  show(button, shownTheme());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const theme = button.value;
    document.documentElement.dataset.theme = theme;
    show(button, theme);
    // A failed request costs nothing but the memory of the choice.
    post(form.action, new URLSearchParams({ theme, next: "" })).catch(() => undefined);
  });
}
