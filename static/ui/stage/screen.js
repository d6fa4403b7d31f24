// @ts-check
/**
 * What stands in the player's place: the player, or a card, or a still, never one over another.
 * `data-state` of the box says which ("loading", "ready", "error", "still") and the style sheet
 * hides the others.
 */
import { fetchStill, stillUrl } from "../player/still.js";
import { html, part, set } from "./dom.js";
import { errorCard, loadingCard } from "./states.js";
import { clock } from "./format.js";

/** @param {HTMLElement} box @param {string} stills */
export function screenOf(box, stills) {
  const card = part(box, "[data-card]");
  const instead = part(box, "[data-instead]");
  const put = (/** @type {string} */ state, /** @type {Node[]} */ ...nodes) => {
    set(box, { "data-state": state });
    card.replaceChildren(...nodes);
  };
  return {
    place: part(box, "[data-screen]"),
    /** @param {{start: number, end: number}} window */
    loading: (window) => { instead.replaceChildren(); put("loading", loadingCard(window)); },
    ready: () => put("ready"),
    /** @param {{reason: string, code: string | number}} error @param {number} items @param {Parameters<typeof errorCard>[2]} does */
    failed: (error, items, does) => put("error", errorCard(error, items, does)),
    /** @param {number} time */
    still: async (time) => {
      put("still");
      instead.replaceChildren(html("p", { class: "wait" }, `Taking a still at ${clock(time)}`));
      const still = await fetchStill(stillUrl(stills, time)).catch(() => ({ reason: "The server cannot be reached." }));
      const shown = "url" in still
        ? html("img", { class: "whole", src: still.url, alt: `Still at ${clock(time)}` })
        : html("p", { class: "wait" }, `No still at ${clock(time)}. ${still.reason}`);
      instead.replaceChildren(shown);
    },
  };
}
