// @ts-check
// Signing in again inside the page when the session has ended: the votes wait on this machine and
// go out afterwards, if it is the same account that signs in.

import { post } from "../http.js";

/**
 * Where an answer leads and what it complains of: the password is answered in JSON, the code with
 * a page.
 * @param {Response} answer
 * @returns {Promise<{place: string, reason: string}>}
 */
async function read(answer) {
  const text = await answer.text();
  if (answer.headers.get("Content-Type")?.startsWith("application/json")) {
    const said = JSON.parse(text);
    return { place: said.location ?? "", reason: (said.form?.errors ?? []).join(" ") };
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  const reason = page.querySelector("main [id$=error]")?.textContent?.trim() ?? "";
  return { place: new URL(answer.url).pathname, reason };
}

/**
 * @typedef {object} Waiting what a session that ended holds up: it tells "signed-out", hears
 *   "signed-in", and sends what it kept when it is flushed
 * @property {EventTarget["addEventListener"]} addEventListener
 * @property {(name: string, detail: object) => void} tell
 * @property {() => unknown} flush
 */

/** @param {HTMLElement} root @param {Waiting} sender */
export function setUpSignIn(root, sender) {
  const bar = () => /** @type {HTMLFormElement} */ (root.querySelector("[data-sign-in]"));

  sender.addEventListener("signed-out", (event) => {
    const { count, counted, edit, what = "edit" } = /** @type {CustomEvent} */ (event).detail;
    const waits = edit ? `Your ${what} waits` : `${counted} ${count === 1 ? "waits" : "wait"}`;
    const text = bar().querySelector("[data-waiting]");
    if (text) text.textContent = `${waits} on this machine and ${edit || count === 1 ? "goes" : "go"} out when you are back.`;
    const wasHidden = bar().hidden;
    bar().hidden = false;
    if (wasHidden) bar().querySelector("input[type=password]")?.scrollIntoView({ block: "nearest" });
  });

  /** @param {string} text */
  function complain(text) {
    const place = /** @type {HTMLElement} */ (bar().querySelector("[data-sign-in-error]"));
    place.hidden = !text;
    place.textContent = text;
  }

  let codePlace = ""; // where a second factor is to be sent, once the password was right

  /** @param {string} place */
  function askForCode(place) {
    codePlace = place;
    const code = /** @type {HTMLInputElement} */ (bar().querySelector("[name=code]"));
    code.hidden = code.disabled = !place;
    code.value = "";
    if (place) code.focus();
  }

  /** @returns {Promise<string>} what went wrong, or "" */
  async function signIn() {
    const sentCode = Boolean(codePlace);
    const form = new URLSearchParams();
    for (const [name, value] of new FormData(bar())) form.set(name, String(value));
    const answer = await post(codePlace || (root.dataset.login ?? ""), form).catch(() => null);
    if (!answer) return "The server cannot be reached. Nothing here is lost.";
    if (answer.status === 429) return "Too many attempts. Wait a little and try again.";
    const { place, reason } = await read(answer);
    const owesCode = place.includes("/2fa/authenticate/");
    askForCode(owesCode ? place : "");
    if (owesCode) return sentCode ? `That code was not accepted. ${reason}` : "A code is needed too.";
    const me = await fetch(root.dataset.me ?? "", { credentials: "same-origin" }).catch(() => null);
    if (!me?.ok) return `That password was not accepted. ${reason}`;
    return whose(await me.json());
  }

  /** @param {{id: number, username: string}} me */
  function whose({ id, username }) {
    if (id === Number(root.dataset.user)) return "";
    return `You are signed in as ${username}. What ${root.dataset.username} decided stays here.`;
  }

  function welcome() {
    bar().reset();
    bar().hidden = true;
    sender.tell("signed-in", {});
    sender.flush();
  }

  // Who signs in elsewhere, at a hospital's page, does so in another tab and comes back.
  document.addEventListener("visibilitychange", async () => {
    if (document.visibilityState !== "visible" || bar().hidden) return;
    const me = await fetch(root.dataset.me ?? "", { credentials: "same-origin" }).catch(() => null);
    if (!me?.ok) return;
    const wrong = whose(await me.json());
    complain(wrong);
    if (!wrong) welcome();
  });

  root.addEventListener("submit", async (event) => {
    if (event.target !== bar()) return;
    event.preventDefault();
    const wrong = await signIn();
    complain(wrong);
    if (!wrong) welcome();
  });
}
