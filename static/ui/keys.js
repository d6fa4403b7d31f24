// @ts-check
// The one registry of keys: pages and parts register here, the "?" dialog is written from it.
//
// A key is named by its place on the keyboard (KeyboardEvent.code), so it stays where it is on
// other layouts, with modifiers before it: "KeyK", "Shift+BracketLeft", "Ctrl+Enter", "Alt+ArrowUp".
// Keys are silent in fields, while a dialog is open, and where the focused part wants them itself
// (data-own-keys="Space Enter"). Esc leaves a field.

/**
 * @typedef {{group: string, keys: string[], label: string, run: (event: KeyboardEvent) => void,
 *   shown?: string[], repeat?: boolean, fields?: boolean, drawer?: boolean}} Binding
 *   `shown`: caps for the dialog where they differ from the keys; `repeat`: act on a held key too;
 *   `fields`: act inside fields as well; `drawer`: act also while a drawer (dialog[data-drawer]) is
 *   open, and no other dialog.
 */

/** Where this reader has moved keys to, checked by annotation/domain/key_map.py.
 * @type {Record<string, string>} */
export const moved = JSON.parse(
  (typeof document !== "undefined" && document.documentElement.dataset.movedKeys) || "{}");

/** @type {Binding[]} */
const bindings = [];
/** @type {Map<string, Binding>} */
const byKey = new Map();

const CAPS = {
  Space: "Space", Comma: ",", Period: ".", Minus: "-", Equal: "=", BracketLeft: "[",
  BracketRight: "]", Semicolon: ";", Quote: "'", Slash: "/", Escape: "Esc", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←",
  ArrowRight: "→", Shift: "⇧", "Shift+Slash": "?",
};

/** Keys that are looked for by their sign: it stands elsewhere on other layouts.
 * @type {Record<string, string>} */
const SIGNS = { "?": "Shift+Slash", "/": "Slash" };

/**
 * Register bindings under their usual keys; a reader's own places are put in here. A key that is taken is an error: two meanings of one key is a fault of the
 * program, and tests/functional look for it on every page.
 * @param {Binding[]} more
 */
export function register(more) {
  for (const usual of more) {
    const binding = { ...usual, keys: usual.keys.map((key) => moved[key] ?? key) };
    for (const key of binding.keys) {
      const taken = byKey.get(key);
      if (taken) throw new Error(`key ${key} is taken: ${taken.label} / ${binding.label}`);
      byKey.set(key, binding);
    }
    bindings.push(binding);
  }
}

/** @type {{bindings: () => Binding[], isOn: () => boolean}[]} */
const layers = [];

/**
 * Bindings that stand above the usual ones while `isOn` says so: the letters of options while an
 * item waits for its answer. They are found by the letter that is printed on the key, and by its
 * place where another script is printed there, and cannot be moved.
 * @param {() => Binding[]} over @param {() => boolean} isOn
 */
export function registerLayer(over, isOn) {
  layers.push({ bindings: over, isOn });
}

const layered = () => layers.filter((layer) => layer.isOn()).flatMap((layer) => layer.bindings());

/** @param {KeyboardEvent} event @returns {Binding | undefined} */
function inLayer(event) {
  const isLetter = /^[a-z]$/i.test(event.key) && !event.ctrlKey && !event.altKey && !event.metaKey;
  const key = isLetter ? `${event.shiftKey ? "Shift+" : ""}Key${event.key.toUpperCase()}` : nameOf(event);
  return layered().find((binding) => binding.keys.includes(key));
}

/** All bindings as they stand now, for the dialog and for tests: what a layer covers is left out. */
export function registered() {
  const over = layered();
  const taken = new Set(over.flatMap((binding) => binding.keys));
  return [...over, ...bindings.filter((binding) => !binding.keys.some((key) => taken.has(key)))];
}

/**
 * The key's name in this registry.
 * @param {KeyboardEvent} event
 */
export function nameOf(event) {
  const code = event.code.startsWith("Numpad")
    ? event.code.replace(/^Numpad(\d)$/, "Digit$1").replace("NumpadEnter", "Enter")
    : event.code;
  const held = [
    event.ctrlKey || event.metaKey ? "Ctrl" : "",
    event.altKey ? "Alt" : "",
    event.shiftKey ? "Shift" : "",
  ];
  return [...held.filter(Boolean), code].join("+");
}

/**
 * What to print on the cap of a key.
 * @param {string} key
 * @returns {string[]}
 */
export function caps(key) {
  if (key in CAPS) return [CAPS[key]];
  return key.split("+").map((part) => CAPS[part] ?? part.replace(/^(Key|Digit)/, ""));
}

/** @param {EventTarget | null} target */
function isField(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  const silent = ["button", "checkbox", "radio", "submit", "reset", "range"];
  return target instanceof HTMLInputElement && !silent.includes(target.type);
}

/**
 * Keys that the focused control needs for itself.
 * @param {EventTarget | null} target
 * @param {string} key
 */
function isOwn(target, key) {
  if (!(target instanceof Element)) return false;
  const owner = target.closest("[data-own-keys]");
  if (owner?.getAttribute("data-own-keys")?.split(" ").includes(key)) return true;
  const presses = key === "Enter" || (key === "Space" && !target.closest("[data-play-keys]"));
  return presses && target.closest("a[href], button, summary, [role=button], input") !== null;
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.defaultPrevented || event.isComposing) return;
  const open = document.querySelectorAll("dialog[open]");
  const inDrawer = open.length === 1 && open[0].hasAttribute("data-drawer");
  if (open.length && !inDrawer) return;
  const key = SIGNS[event.key] ?? nameOf(event);
  const inField = isField(event.target);
  if (inField && key === "Escape") {
    /** @type {HTMLElement} */ (event.target).blur();
    return;
  }
  const binding = inLayer(event) ?? byKey.get(key);
  if (!binding || (event.repeat && !binding.repeat) || (inDrawer && !binding.drawer)) return;
  if (inField ? !binding.fields : isOwn(event.target, key)) return;
  event.preventDefault();
  binding.run(event);
}

if (typeof document !== "undefined") document.addEventListener("keydown", onKey);
