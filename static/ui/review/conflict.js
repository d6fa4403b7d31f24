// @ts-check
// Somebody saved another version while this one was edited: what was, theirs and yours, part by
// part. Nothing is merged or overwritten silently: what only one side changed is offered together,
// and where both changed the same, a person chooses.

import { html } from "../stage/dom.js";
import { clock } from "../stage/format.js";

/** What means something only as a whole; see annotation/domain/merging.py.
 * @type {Record<string, {label: string, fields: string[]}>} */
export const PARTS = {
  stem: { label: "Stem", fields: ["stem"] },
  options: { label: "Options", fields: ["options", "key_index"] },
  reference_answer: { label: "Reference answer", fields: ["reference_answer"] },
  accepted_variants: { label: "Accepted variants", fields: ["accepted_variants"] },
  question_type: { label: "Type", fields: ["question_type"] },
  window: { label: "Window", fields: ["start", "end"] },
  roi: { label: "Box", fields: ["roi"] },
};

/** @param {unknown} a @param {unknown} b */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const share = (/** @type {number} */ part) => `${(100 * part).toFixed(1)} %`;

/** @param {string} part @param {any} side @returns {string} */
export function textOf(part, side) {
  if (!side) return "not known";
  if (part === "options") {
    return side.options.map((/** @type {string} */ text, /** @type {number} */ at) =>
      `${at === side.key_index ? "✓" : "–"} ${text}`).join("\n");
  }
  if (part === "window") return `${clock(side.start)} to ${clock(side.end)}`;
  if (part === "roi") {
    const box = side.x === undefined ? side.roi : side;
    return box ? `x ${share(box.x)}, y ${share(box.y)}, w ${share(box.w)}, h ${share(box.h)}` : "the box of the video";
  }
  const value = side[PARTS[part].fields[0]];
  return (Array.isArray(value) ? value.join("\n") : String(value ?? "")) || "nothing";
}

/**
 * @typedef {{part: string, base: any, theirs: any, mine: any, both: boolean}} Row
 * @param {any} problem the 409 answer: base, current, yours, conflicts
 * @returns {Row[]} a row for each part that one side changed
 */
export function rowsOf({ base, current, yours, conflicts }) {
  const rows = [];
  for (const [part, { fields }] of Object.entries(PARTS)) {
    const mine = { ...(base ?? current), ...yours };
    const said = fields.some((name) => name in yours) && !same(pick(fields, mine), pick(fields, base ?? {}));
    const moved = base && !same(pick(fields, base), pick(fields, current));
    if (said || moved) rows.push({ part, base, theirs: current, mine: said ? mine : null, both: conflicts?.includes(part) ?? false });
  }
  return rows;
}

/** @param {string[]} fields @param {any} side */
const pick = (fields, side) => fields.map((name) => side[name] ?? null);

/** @param {Row} row @param {string} name @param {(part: string, side: any) => string} say */
function lines({ part, base, theirs, mine, both }, name, say) {
  const text = (/** @type {any} */ side) => say(part, side);
  const cell = (/** @type {string} */ who, /** @type {any} */ side, /** @type {string} */ value) => {
    const radio = html("input", { type: "radio", name: `${name}/${part}`, value });
    const label = html(both ? "label" : "div", { class: "merge-side" }, html("span", { class: "row row-4 small" },
      ...(both ? [radio] : []), html("strong", {}, who)), html(value === "theirs" ? "ins" : "b", { class: "merge-text" }, text(side)));
    return label;
  };
  const sides = html("div", { class: "merge-sides" });
  if (base ? !same(text(base), text(theirs)) : true) sides.append(cell("theirs", theirs, "theirs"));
  if (mine) sides.append(cell("yours", mine, "mine"));
  const was = base ? html("del", { class: "merge-text" }, text(base)) : "";
  return html("fieldset", { class: "merge-part", "data-merge-part": part }, html("legend", { class: "as-h3" }, PARTS[part].label), was, sides);
}

/**
 * @param {{rows: Row[], base: number | null, current: number, say?: typeof textOf,
 *   take: () => void, save: (drop: string[]) => void}} page
 *   `save` is called with the parts in which theirs is taken
 */
export function mergeBox({ rows, base, current, say = textOf, take, save }) {
  const both = rows.filter((row) => row.both).map((row) => row.part);
  const next = `v${current + 1}`;
  const name = `merge-${Math.random().toString(36).slice(2)}`;
  const box = html("div", { class: "stack stack-4 merge", role: "group", "aria-label": "Two versions to bring together" });
  const since = base === null ? "" : ` while you edited v${base}`;
  box.append(html("strong", {}, `Someone saved v${current}${since}.`), html("span", {}, both.length
    ? "Both of you changed the same: choose, part by part."
    : "Your changes touch other fields: both can be kept."), ...rows.map((row) => lines(row, name, say)));
  const chosen = (/** @type {string} */ part) =>
    /** @type {HTMLInputElement | null} */ (box.querySelector(`[name="${name}/${part}"]:checked`))?.value;
  const button = (/** @type {string} */ label, /** @type {() => void} */ act, look = "") => {
    const made = /** @type {HTMLButtonElement} */ (html("button", { type: "button", class: `btn small ${look}` }, label));
    made.addEventListener("click", act);
    return made;
  };
  const takeTheirs = button(`Take v${current}`, take);
  const merge = button(both.length ? `Save as chosen, ${next}` : `Keep both as ${next}`,
    () => save(both.filter((part) => chosen(part) === "theirs")), "primary");
  if (!both.length) merge.append(" ", html("kbd", {}, "Enter"));
  const look = () => { merge.disabled = both.some((part) => !chosen(part)); };
  box.addEventListener("change", (event) => { event.stopPropagation(); look(); });
  box.addEventListener("input", (event) => event.stopPropagation());
  look();
  const buttons = html("div", { class: "row wrap" }, takeTheirs, merge);
  if (both.length) buttons.append(button(`Save mine as ${next}`, () => save([])));
  box.append(buttons);
  return { box, focus: () => (both.length ? box.querySelector("input") : merge)?.focus() };
}

/** Show it in a note of the page. @param {HTMLElement} note @param {Parameters<typeof mergeBox>[0]} page */
export function showMerge(note, page) {
  const { box, focus } = mergeBox(page);
  note.replaceChildren(box);
  note.hidden = false;
  note.scrollIntoView({ block: "nearest" });
  focus();
}
