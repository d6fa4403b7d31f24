// @ts-check
// The list of options in the edit form: add, remove, move up and down, choose the key.

let made = 0;

/** @param {string} icon @param {string} label @param {string} act */
function small(icon, label, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn quiet small icon";
  button.dataset.optionDo = act;
  button.setAttribute("aria-label", label);
  button.innerHTML = `<svg class="i" aria-hidden="true"><use href="#i-${icon}"/></svg>`;
  return button;
}

/** @param {string} text @param {boolean} isKey */
function row(text, isKey) {
  const line = document.createElement("li");
  line.className = "option-row";
  const key = document.createElement("input");
  key.type = "radio";
  key.name = "key_index";
  key.checked = isKey;
  const field = document.createElement("input");
  field.className = "input";
  field.maxLength = 2000;
  field.value = text;
  field.id = `edit-option-${++made}`;
  const tools = document.createElement("span");
  tools.className = "row row-4";
  tools.append(small("up", "Move up", "up"), small("down", "Move down", "down"), small("cross", "Remove", "remove"));
  line.append(key, field, tools);
  return line;
}

/** @param {HTMLElement} form */
export function optionList(form) {
  const list = /** @type {HTMLElement} */ (form.querySelector("[data-edit-option-list]"));
  const rows = () => [...list.children];

  function name() {
    rows().forEach((line, place) => {
      line.querySelector("input[type=radio]")?.setAttribute("aria-label", `Option ${place + 1} is the key`);
      line.querySelector(".input")?.setAttribute("aria-label", `Option ${place + 1}`);
    });
  }

  list.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-option-do]");
    const line = button?.closest("li");
    if (!button || !line) return;
    const act = button.getAttribute("data-option-do");
    if (act === "up") line.previousElementSibling?.before(line);
    else if (act === "down") line.nextElementSibling?.after(line);
    else if (rows().length > 2) line.remove();
    name();
    /** @type {HTMLElement} */ (line.isConnected ? button : list.querySelector(".input"))?.focus();
    form.dispatchEvent(new Event("input"));
  });
  form.querySelector("[data-option-add]")?.addEventListener("click", () => {
    if (rows().length >= 10) return;
    list.append(row("", false));
    name();
    /** @type {HTMLElement | null} */ (list.querySelector("li:last-child .input"))?.focus();
  });

  return {
    /** @param {string[]} options @param {number | null} key */
    put(options, key) {
      list.replaceChildren(...options.map((text, place) => row(text, place === key)));
      name();
    },
    /** @returns {{options: string[], key_index: number | null}} */
    take() {
      const key = rows().findIndex((line) => line.querySelector("input[type=radio]:checked"));
      const texts = rows().map((line) => /** @type {HTMLInputElement} */ (line.querySelector(".input")).value);
      return { options: texts, key_index: key < 0 ? null : key };
    },
  };
}
