// @ts-check
// The "?" dialog: <dialog id="keys-dialog"> with [data-keys-list], written from the registry.

import { caps, register, registered } from "./keys.js";

const ORDER = ["Answer", "Decide", "Play", "Edit", "Elsewhere"];

/** @param {import("./keys.js").Binding} binding */
function line(binding) {
  const term = document.createElement("dt");
  for (const cap of binding.shown ?? binding.keys.flatMap(caps)) {
    const key = document.createElement("kbd");
    key.textContent = cap;
    term.append(key);
  }
  const text = document.createElement("dd");
  text.textContent = binding.label;
  return [term, text];
}

/** @param {Element} list */
function fill(list) {
  /** @type {Map<string, import("./keys.js").Binding[]>} */
  const groups = new Map();
  for (const name of ORDER) groups.set(name, []);
  for (const binding of registered()) {
    groups.set(binding.group, [...(groups.get(binding.group) ?? []), binding]);
  }
  const filled = [...groups].filter(([, bindings]) => bindings.length);
  const columns = filled.map(([name, bindings]) => {
    const column = document.createElement("div");
    const title = document.createElement("h3");
    title.textContent = name;
    const terms = document.createElement("dl");
    terms.append(...bindings.flatMap(line));
    column.append(title, terms);
    return column;
  });
  list.replaceChildren(...columns);
}

export function openKeys() {
  const dialog = document.getElementById("keys-dialog");
  const list = dialog?.querySelector("[data-keys-list]");
  if (!(dialog instanceof HTMLDialogElement) || !list || dialog.open) return;
  fill(list);
  dialog.showModal();
}

export function setUpKeysDialog() {
  register([{ group: "Elsewhere", keys: ["Shift+Slash"], label: "these keys", run: openKeys }]);
  for (const button of document.querySelectorAll("[data-open-keys]")) {
    button.addEventListener("click", openKeys);
  }
}
