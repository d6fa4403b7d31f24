// @ts-check
// The reader's own switch "answer first". Turning it off shows the key of the item at hand, and
// an item whose key was shown takes no answer any more: so there it is asked twice.

/**
 * @param {() => boolean} isSealed
 * @param {() => HTMLElement} decide
 */
export function setUpAnswersFirst(isSealed, decide) {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-answers-first]"));
  let asked = false;

  form?.addEventListener("submit", (event) => {
    if (asked || !isSealed()) return;
    event.preventDefault();
    asked = true;
    const note = /** @type {HTMLElement | null} */ (decide().querySelector("[data-conflict]"));
    const text = note?.querySelector("div");
    if (!note || !text) return;
    text.textContent = "This shows the key: the item then takes no answer of yours any more. Once more to turn it off.";
    note.hidden = false;
  });
  return { toggle: () => form?.querySelector("button") && form.requestSubmit() };
}
