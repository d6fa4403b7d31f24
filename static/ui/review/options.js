// @ts-check
// A list of short texts in the edit form, options or accepted variants: add, remove, move, and of
// options choose the key; all of it by keyboard too.

let made = 0;

/** @param {string} icon @param {string} label @param {string} act */
function small(icon, label, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn quiet small icon";
  button.dataset.lineDo = act;
  button.setAttribute("aria-label", label);
  button.innerHTML = `<svg class="i" aria-hidden="true"><use href="#i-${icon}"/></svg>`;
  return button;
}

/**
 * @param {HTMLElement} list
 * @param {HTMLElement} adder the button that adds a line
 * @param {{keyed: boolean, least: number, most: number, name: string}} kind
 */
export function textLines(list, adder, { keyed, least, most, name }) {
  const rows = () => /** @type {HTMLElement[]} */ ([...list.children]);
  const radio = (/** @type {Element} */ line) => /** @type {HTMLInputElement | null} */ (line.querySelector("input[type=radio]"));
  const field = (/** @type {Element} */ line) => /** @type {HTMLInputElement} */ (line.querySelector(".input"));

  /** @param {string} text @param {boolean} isKey */
  function row(text, isKey) {
    const line = document.createElement("li");
    line.className = keyed ? "option-row" : "option-row variant-row";
    const input = document.createElement("input");
    input.className = "input";
    input.maxLength = 2000;
    input.value = text;
    input.id = `edit-line-${++made}`;
    const tools = document.createElement("span");
    tools.className = "row row-4";
    tools.append(small("up", "Move up", "up"), small("down", "Move down", "down"), small("cross", "Remove", "remove"));
    if (keyed) {
      const key = document.createElement("input");
      key.type = "radio";
      key.name = "key_index";
      key.checked = isKey;
      line.append(key);
    }
    line.append(input, tools);
    return line;
  }

  function named() {
    rows().forEach((line, place) => {
      radio(line)?.setAttribute("aria-label", `${name} ${place + 1} is the key`);
      field(line).setAttribute("aria-label", `${name} ${place + 1}`);
    });
  }

  /** @param {Element} line @param {string} act @param {HTMLElement | null} back where the focus goes */
  function change(line, act, back) {
    const beside = field(line.nextElementSibling ?? line.previousElementSibling ?? line);
    if (act === "up") line.previousElementSibling?.before(line);
    else if (act === "down") line.nextElementSibling?.after(line);
    else if (act === "key" && keyed) /** @type {HTMLInputElement} */ (radio(line)).checked = true;
    else if (act === "remove" && rows().length > least) line.remove();
    named();
    (line.isConnected ? back : beside.isConnected ? beside : adder)?.focus();
    list.dispatchEvent(new Event("input", { bubbles: true }));
  }

  list.onclick = (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-line-do]");
    const line = button?.closest("li");
    if (button && line) change(line, button.getAttribute("data-line-do") ?? "", /** @type {HTMLElement} */ (button));
  };
  adder.onclick = () => {
    if (rows().length >= most) return;
    list.append(row("", false));
    named();
    field(/** @type {Element} */ (list.lastElementChild)).focus();
  };

  return {
    /** @param {string[]} texts @param {number | null} [key] */
    put(texts, key = null) {
      list.replaceChildren(...texts.map((text, place) => row(text, place === key)));
      named();
    },
    /** @returns {{texts: string[], key: number | null}} */
    take() {
      const key = rows().findIndex((line) => radio(line)?.checked);
      return { texts: rows().map((line) => field(line).value), key: key < 0 ? null : key };
    },
  };
}

/**
 * Act on the line in which the focus is, for the keys.
 * @param {"up" | "down" | "key" | "remove"} act
 */
export function onLine(act) {
  const field = document.activeElement;
  const line = field?.closest("[data-edit] .option-row");
  if (!line) return;
  if (act === "key") {
    const key = /** @type {HTMLInputElement | null} */ (line.querySelector("input[type=radio]"));
    if (!key) return;
    key.checked = true;
    key.dispatchEvent(new Event("input", { bubbles: true }));
    return;
  }
  const button = /** @type {HTMLElement | null} */ (line.querySelector(`[data-line-do="${act}"]`));
  button?.click();
  if (line.isConnected && field instanceof HTMLElement) field.focus();
}
