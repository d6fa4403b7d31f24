// @ts-check
/** Saves a box as a version; says what became of it in place, and overwrites nothing unseen. */
import { sendJson } from "../http.js";
import { html, icon, part } from "../stage/dom.js";
import { toPixels } from "./geometry.js";

/** @typedef {import("./geometry.js").Box} Box */

/**
 * @typedef {object} SaveHost
 * @property {string} url @property {() => Box} box @property {() => import("./geometry.js").Frame} frame
 * @property {() => {item: number | null, base: number, name: string}} scope
 * @property {(box: Box, version: number) => void} take take over what somebody else saved
 * @property {() => void} done called before the page is loaded again
 */

/** @param {HTMLElement} root @param {SaveHost} host */
export function setUpSave(root, host) {
  const note = part(root, "[data-save-note]");
  let busy = false;
  /** @type {number | null} */ let above = null; // save over this version: the reader has seen it
  const say = (/** @type {string} */ tone, /** @type {(Node | string)[]} */ ...parts) => {
    const glyph = { good: "tick", bad: "disagree", warn: "alert" }[tone] ?? "info";
    note.replaceChildren(html("div", { class: `note ${tone}`, role: tone === "good" ? "status" : "alert" }, icon(glyph), html("div", {}, ...parts)));
  };
  async function save() {
    if (busy) return;
    busy = true;
    const { item, base } = host.scope();
    const body = {
      base_version: above ?? base, roi: host.box(), ...(item ? { item } : {}),
      reason: part(root, "[data-reason]").value, cosmetic: part(root, "[data-cosmetic]").checked,
    };
    say("info", "Saving");
    const answer = await sendJson("POST", host.url, body).catch(() => null);
    const said = await answer?.json().catch(() => ({})) ?? {};
    busy = false;
    if (answer?.ok) return saved(said.version);
    if (answer?.status === 409) return conflict(said);
    if (!answer) return say("warn", "Not saved: the server cannot be reached. The box is kept on this page.");
    if (answer.status === 401) return say("warn", "You are signed out. The box is kept on this page; ", html("a", { href: "/accounts/login/", target: "_blank" }, "sign in in another tab"), ", then save again.");
    const errors = JSON.stringify(said.errors ?? "").replace(/[{}[\]"]/g, "").replaceAll(",", "; ");
    say("bad", `Not saved: ${errors || said.detail || answer.status}`);
  }
  /** @param {number} version */
  function saved(version) {
    host.done();
    sessionStorage.setItem("roi/saved", `Saved ${new Date().toTimeString().slice(0, 8)} as ${host.scope().name}${version}`);
    location.reload(); // the page shows the version as it stands, with its trail
  }
  /** @param {{current: Box & {version: number}}} body */
  function conflict({ current }) {
    const theirs = toPixels(current, host.frame()), mine = toPixels(host.box(), host.frame());
    const text = (/** @type {Box} */ px) => `${px.w} × ${px.h} px at ${px.x}, ${px.y}`;
    const button = (/** @type {string} */ label, /** @type {() => void} */ act, look = "") => {
      const made = html("button", { type: "button", class: `btn small ${look}` }, label);
      made.addEventListener("click", act);
      return made;
    };
    say("bad", html("strong", {}, `Someone saved v${current.version} while you edited. `),
      html("ins", {}, text(theirs)), ` theirs, ${text(mine)} yours.`,
      html("span", { class: "row wrap" },
        button(`Take v${current.version}`, () => { host.take(current, current.version); note.replaceChildren(); }),
        button(`Save mine as v${current.version + 1}`, () => { above = current.version; void save(); }, "primary")));
  }
  const before = sessionStorage.getItem("roi/saved");
  if (before) { sessionStorage.removeItem("roi/saved"); say("good", before); }
  return { save, say };
}
