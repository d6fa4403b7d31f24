// @ts-check
// The fields of the edit form: what stands in them as the content of an item, and back.

import { html } from "../stage/dom.js";
import { textLines } from "./options.js";

const PLAIN = ["stem", "reference_answer", "question_type", "start", "end"];
const SIDES = ["x", "y", "w", "h"];
export const FIELDS = [...PLAIN, "options", "key_index", "accepted_variants", "roi"];

/** @param {HTMLFormElement} form */
export function editFields(form) {
  const field = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  const part = (/** @type {string} */ mark) => /** @type {HTMLElement} */ (form.querySelector(`[${mark}]`));
  const number = (/** @type {string} */ name) => Number.parseFloat(field(name).value);
  const options = textLines(part("data-edit-option-list"), part("data-option-add"),
    { keyed: true, least: 2, most: 10, name: "Option" });
  const variants = textLines(part("data-edit-variant-list"), part("data-variant-add"),
    { keyed: false, least: 0, most: 10, name: "Accepted variant" });
  let kind = "mcq";
  /** @type {any} */ let box = null; // as it was put in: the form rounds to tenths of a percent

  const inForm = () => Object.fromEntries(SIDES.map((side) => [side, number(`box_${side}`) / 100]));
  const rounded = (/** @type {any} */ sides) =>
    Object.fromEntries(SIDES.map((side) => [side, Number((100 * sides[side]).toFixed(1)) / 100]));
  function showBox() {
    part("data-edit-box").hidden = !field("own_box").checked;
  }
  field("own_box").onchange = showBox;

  return {
    field,
    /** @param {any} data what the page was given @param {any} content what is to stand in the form
     * @param {{reason: string, cosmetic: boolean} | null} why */
    put(data, content, why) {
      field("reason").value = why?.reason ?? "";
      field("cosmetic").checked = why?.cosmetic ?? false;
      kind = data.kind;
      const isMcq = kind === "mcq";
      part("data-edit-options").hidden = !isMcq;
      part("data-edit-variants").hidden = isMcq;
      part("data-edit-reference").hidden = isMcq && !content.reference_answer;
      const types = [...new Set([...data.types, content.question_type])];
      field("question_type").replaceChildren(...types.map((type) => new Option(type || "No type", type)));
      for (const name of PLAIN) field(name).value = content[name];
      options.put(content.options, content.key_index);
      variants.put(content.accepted_variants);
      box = content.roi ?? data.box;
      field("own_box").checked = content.roi !== null;
      for (const side of SIDES) field(`box_${side}`).value = (100 * box[side]).toFixed(1);
      field("category").value = content.category ?? data.category;
      showBox();
    },
    take,
    why: () => ({ reason: field("reason").value, cosmetic: field("cosmetic").checked }),
    /** What differs from a content, by field. @param {any} base */
    changes(base) {
      const now = /** @type {Record<string, unknown>} */ (take());
      const differs = FIELDS.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(base[name]));
      return Object.fromEntries(differs.map((name) => [name, now[name]]));
    },
    /** @param {any} base */
    category(base) {
      const now = take().category;
      return now === base.category ? null : { was: base.category, now };
    },
  };

  /** The content as it stands in the form, with the category of the video. */
  function take() {
    const said = inForm();
    const own = JSON.stringify(said) === JSON.stringify(rounded(box)) ? box : said;
    const { texts, key } = options.take();
    return {
      stem: field("stem").value, reference_answer: field("reference_answer").value,
      question_type: field("question_type").value, start: number("start"), end: number("end"),
      options: kind === "mcq" ? texts : [], key_index: kind === "mcq" ? key : null,
      accepted_variants: kind === "mcq" ? [] : variants.take().texts.filter((text) => text.trim()),
      roi: field("own_box").checked ? own : null,
      category: field("category").value.trim(),
    };
  }
}

/**
 * Offer the categories in use; the field takes any other too.
 * @param {HTMLElement} list @param {string} url
 */
export async function offerCategories(list, url) {
  if (list.childElementCount) return;
  const answer = await fetch(url, { credentials: "same-origin", headers: { Accept: "application/json" } }).catch(() => null);
  const said = answer?.ok ? await answer.json().catch(() => ({})) : {};
  list.replaceChildren(...(said.known ?? []).map((/** @type {string} */ value) => html("option", { value })));
}

/**
 * Who changed each field last: the version at the label, the rest when it is opened or pointed at.
 * @param {HTMLFormElement} form @param {Record<string, {version: number, by: string, at: string}>} blame
 */
export function showBlame(form, blame) {
  for (const place of form.querySelectorAll("[data-blame]")) {
    const found = blame[place.getAttribute("data-blame") ?? ""];
    if (!found) continue;
    const at = new Date(found.at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    const said = `v${found.version}: ${found.by}, ${at}`;
    const mark = html("summary", { title: `Last changed in ${said}`, "aria-label": `Last changed in v${found.version}` }, `v${found.version}`);
    place.replaceChildren(html("details", { class: "blame" }, mark, html("span", {}, `${found.by}, ${at}`)));
  }
}
