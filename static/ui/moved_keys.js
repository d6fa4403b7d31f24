// @ts-check
// Where a reader has moved keys, the caps printed on the page move too: in <kbd>, and in titles
// and placeholders that end in "(K)". Parts marked data-usual-keys keep what they say.

import { caps, moved } from "./keys.js";

/** @type {Map<string, string>} */
const shown = new Map(Object.entries(moved).map(([from, to]) => [caps(from).join(""), caps(to).join("")]));

/** @param {ParentNode} root */
function relabel(root) {
  for (const cap of root.querySelectorAll("kbd:not([data-moved])")) {
    const to = shown.get(cap.textContent ?? "");
    if (!to || cap.closest("[data-usual-keys], #keys-dialog")) continue;
    cap.setAttribute("data-moved", "");
    cap.textContent = to;
  }
  for (const name of ["title", "placeholder"]) {
    for (const part of root.querySelectorAll(`[${name}$=")"]:not([data-moved-${name}])`)) {
      const [, text, cap] = part.getAttribute(name)?.match(/^(.*\()(.+)\)$/) ?? [];
      const to = shown.get(cap ?? "");
      if (!to) continue;
      part.setAttribute(`data-moved-${name}`, "");
      part.setAttribute(name, `${text}${to})`);
    }
  }
}

export function showMovedKeys() {
  if (!shown.size) return;
  relabel(document);
  new MutationObserver((changes) => {
    for (const { target } of changes) if (target instanceof Element) relabel(target);
  }).observe(document.body, { childList: true, subtree: true });
}
