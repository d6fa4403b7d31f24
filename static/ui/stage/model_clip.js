// @ts-check
/**
 * The very file that a model is sent for this item, in the player's place at its real size and
 * frame rate: of the saved window and box. Playing the video again puts it away.
 */
import { clipVideo, fetchClip } from "../player/clip.js";
import { html, part, set } from "./dom.js";

/** @param {HTMLElement} root @param {{pause: () => void}} player */
export function setUpModelClip(root, player) {
  const box = part(root, "[data-player]"), place = part(root, "[data-model-clip]");
  const button = part(root, '[data-do="model-clip"]');
  let asking = new AbortController();
  const say = (/** @type {string} */ text) => place.replaceChildren(html("p", { class: "wait" }, text));
  const hide = () => {
    if (place.hidden) return;
    asking.abort();
    place.hidden = true;
    place.replaceChildren();
    box.removeAttribute("data-clip");
    set(button, { "aria-pressed": "false" });
  };
  async function show() {
    asking = new AbortController();
    player.pause();
    place.hidden = false;
    box.setAttribute("data-clip", "");
    set(button, { "aria-pressed": "true" });
    say("A worker cuts the clip");
    const found = await fetchClip(root.dataset.preview ?? "", {}, asking.signal);
    if (!found) return;
    if ("reason" in found) return say(`No clip: ${found.reason}`);
    const { clip } = found;
    place.replaceChildren(clipVideo(found, () => say("The clip does not play. Ask for it again.")),
      html("p", { class: "caption" }, `What a model gets: ${clip.width} × ${clip.height} px, ${clip.frames} frames at ${clip.fps} a second, ${clip.duration.toFixed(2)} s, `,
        html("code", { title: `sha256 ${clip.sha256}` }, clip.sha256.slice(0, 12))));
  }
  const toggle = () => (place.hidden ? void show() : hide());
  button.addEventListener("click", toggle);
  return { hide, toggle };
}
