// @ts-check
// The form of an answer: which option is chosen, what is written. A choice that was not sent
// outlives a reload of the page in this tab.

/** @typedef {{option_index?: number | null, text?: string, could_not_tell?: boolean}} Said */

/**
 * @param {HTMLElement} root the item column
 * @param {() => HTMLElement} decide
 */
export function answerForm(root, decide) {
  const draft = `answer/${root.dataset.user}/${root.dataset.item}`;
  const options = () => /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-answer-option]")]);
  const field = () => /** @type {HTMLTextAreaElement | null} */ (root.querySelector("[data-answer-text]"));
  const none = () => /** @type {HTMLElement | null} */ (decide().querySelector("[data-answer-none]"));
  const button = () => /** @type {HTMLButtonElement | null} */ (decide().querySelector("[data-answer-send]"));
  const pressed = () => [...options(), none()].find((one) => one?.getAttribute("aria-pressed") === "true");

  /** @returns {Said | null} what is to be sent, null while nothing is */
  function said() {
    const chosen = pressed();
    if (chosen && chosen === none()) return { could_not_tell: true };
    if (chosen) return { option_index: Number(chosen.dataset.answerOption) };
    const text = field()?.value.trim();
    return text ? { text } : null;
  }

  function label() {
    const chosen = pressed(), send = button();
    if (!send) return;
    const words = chosen === none() && chosen ? "Send: could not tell"
      : chosen ? `Answer ${chosen.dataset.letter}` : field() ? "Answer" : "Choose an option";
    const place = send.querySelector("[data-answer-label]");
    if (place) place.textContent = words;
    send.disabled = !said();
  }

  /** @param {Element | null} one */
  function mark(one) {
    for (const other of [...options(), none()]) other?.setAttribute("aria-pressed", String(other === one));
    label();
  }

  /** Press a choice; the focus goes to where Enter sends it. @param {Element | null} one */
  function press(one) {
    mark(one);
    sessionStorage.setItem(draft, JSON.stringify(said()));
    button()?.focus({ preventScroll: true });
  }

  /** @param {Said | null} answer */
  function show(answer) {
    const text = field();
    if (text && answer?.text) text.value = answer.text;
    if (answer?.could_not_tell) mark(none());
    else mark(options().find((one) => Number(one.dataset.answerOption) === answer?.option_index) ?? null);
  }

  /** @param {boolean} on whether an answer is on its way and nothing can be chosen */
  function lock(on) {
    for (const one of [...options(), none(), field(), button()]) {
      if (one) /** @type {HTMLButtonElement} */ (one).disabled = on;
    }
    const note = /** @type {HTMLElement | null} */ (decide().querySelector("[data-answer-kept]"));
    const undo = /** @type {HTMLElement | null} */ (decide().querySelector("[data-answer-undo]"));
    if (undo) undo.hidden = !on;
    if (note) note.hidden = !on;
    const words = note?.querySelector("div");
    if (words) words.textContent = "Your answer is kept. The key opens when the server has it.";
    if (!on) label();
  }

  root.addEventListener("input", (event) => {
    if (event.target !== field()) return;
    mark(null);
    sessionStorage.setItem(draft, JSON.stringify(said()));
  });

  return {
    said, press, show, lock,
    restore: () => show(kept(draft)),
    /** @param {string} text what was written and not taken */
    keep: (text) => text && sessionStorage.setItem(draft, JSON.stringify({ text })),
    forget: () => sessionStorage.removeItem(draft),
    isText: (/** @type {EventTarget | null} */ target) => target !== null && target === field(),
    /**
     * @param {(one: Element | null | undefined) => void} strike @param {() => void} give
     * @returns {import("../keys.js").Binding[]}
     */
    keys: (strike, give) => [
      ...options().map((_, place) => ({
        group: "Answer", keys: [`Key${letter(place)}`, `Digit${(place + 1) % 10}`],
        label: `choose ${letter(place)}; again: send`, run: () => strike(options()[place]),
      })),
      ...(field() ? [{ group: "Answer", keys: ["KeyA"], label: "write the answer", run: () => field()?.focus() }] : []),
      { group: "Answer", keys: ["Enter"], label: "send the answer", run: give },
      { group: "Answer", keys: ["Ctrl+Enter"], label: "send what is written", run: give },
    ],
  };
}

const letter = (/** @type {number} */ place) => String.fromCharCode(65 + place);

/** @param {string} draft @returns {Said | null} */
function kept(draft) {
  try {
    return JSON.parse(sessionStorage.getItem(draft) ?? "null");
  } catch {
    return null;
  }
}
