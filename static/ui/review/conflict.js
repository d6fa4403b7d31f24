// @ts-check
// Somebody saved another version while this one was edited: base, theirs and yours side by side.
// Nothing is overwritten silently: the editor takes theirs, or saves the own over the new version.

const LABELS = {
  stem: "Stem", options: "Options", key_index: "Key", reference_answer: "Reference answer",
  question_type: "Type", start: "Window start", end: "Window end",
};

/** @param {unknown} value */
const text = (value) => (Array.isArray(value) ? value.join(" / ") : String(value ?? "nothing"));
/** @param {unknown} a @param {unknown} b */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** @param {keyof HTMLElementTagNameMap} tag @param {string} content */
function element(tag, content) {
  const made = document.createElement(tag);
  made.textContent = content;
  return made;
}

/** @param {string} field @param {any} problem */
function line(field, { base, current, yours }) {
  const row = element("p", `${LABELS[/** @type {keyof typeof LABELS} */ (field)]}: `);
  if (base && !same(base[field], current[field])) {
    row.append(element("del", text(base[field])), " ", element("ins", text(current[field])), " theirs");
  } else {
    row.append(text(current[field]), " now");
  }
  if (field in yours) row.append(", ", element("strong", text(yours[field])), " yours");
  row.append(".");
  return row;
}

/**
 * @param {HTMLElement} place
 * @param {any} problem the 409 answer: base, current, yours, mergeable
 * @param {{take: () => void, save: (version: number) => void, edited: number}} page
 */
export function showConflict(place, problem, { take, save, edited }) {
  const { base, current, yours, mergeable } = problem;
  const fields = Object.keys(LABELS).filter(
    (field) => field in yours || (base && !same(base[field], current[field])),
  );
  const box = document.createElement("div");
  box.className = "stack stack-4";
  box.append(element("strong", `Someone saved v${current.version} while you edited v${edited}.`));
  if (mergeable) box.append(element("span", "Your changes touch other fields: both can be kept."));
  box.append(...fields.map((field) => line(field, problem)));
  const buttons = document.createElement("div");
  buttons.className = "row wrap";
  const button = (/** @type {string} */ label, /** @type {() => void} */ act) => {
    const made = /** @type {HTMLButtonElement} */ (element("button", label));
    made.type = "button";
    made.className = "btn small";
    made.addEventListener("click", act);
    return made;
  };
  const next = current.version + 1;
  buttons.append(
    button(`Take v${current.version}`, take),
    button(mergeable ? `Keep both as v${next}` : `Save mine as v${next}`, () => save(current.version)),
  );
  box.append(buttons);
  place.replaceChildren(box);
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
  buttons.querySelector("button")?.focus();
}
