// @ts-check
/** Start and end of the window as numbers, and what is to be said of it. */
import { html, icon, part, set } from "./dom.js";
import { clock, parse } from "./format.js";
import { windowWarnings } from "./window_checks.js";

/** @typedef {import("./scale.js").Span} Span */
/** @typedef {"start" | "end"} Edge */

/**
 * @param {HTMLElement} root
 * @param {{duration: number, events: () => Span[], window: () => Span, move: (edge: Edge, time: number) => void}} host
 */
export function setUpWindowFields(root, host) {
  const inputs = /** @type {HTMLInputElement[]} */ ([...root.querySelectorAll("[data-window-edge]")]);
  const edgeOf = (/** @type {HTMLElement} */ node, /** @type {string} */ name) => /** @type {Edge} */ (node.getAttribute(name));
  for (const input of inputs) {
    const edge = edgeOf(input, "data-window-edge");
    const take = () => {
      const time = parse(input.value.replace(",", "."));
      set(input, { "aria-invalid": time === null && "true" });
      if (time === null) return;
      if (clock(time) !== clock(host.window()[edge])) host.move(edge, time);
      show();
    };
    input.addEventListener("change", take);
    input.addEventListener("keydown", (event) => {
      const by = { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
      if (event.key === "Enter") take();
      if (!by) return;
      event.preventDefault();
      host.move(edge, host.window()[edge] + (event.shiftKey ? 10 * by : by));
    });
  }
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-window-by]"))) {
    const edge = edgeOf(button, "data-edge-of");
    button.addEventListener("click", () => host.move(edge, host.window()[edge] + Number(button.dataset.windowBy)));
  }
  function show() {
    const window = host.window();
    for (const input of inputs) {
      if (document.activeElement === input && input.getAttribute("aria-invalid")) continue;
      const text = clock(window[edgeOf(input, "data-window-edge")]);
      if (input.value !== text) input.value = text;
      set(input, { "aria-invalid": false });
    }
    part(root, "[data-window-field-length]").textContent = (window.end - window.start).toFixed(2);
    const said = windowWarnings(window, host.duration, host.events());
    part(root, "[data-window-said]").replaceChildren(
      ...said.map((text) => html("li", { class: "row row-4" }, icon("alert"), text)));
  }
  document.addEventListener("stage:window", show);
  show();
}
