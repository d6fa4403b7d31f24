// @ts-check
/** Back to the review; where something is unsaved, only when asked twice. */
const ASKED_FOR_MS = 6000; // a second Esc within that leaves

/** @param {{dirty: () => boolean, forget: () => void, back: string, warn: (text: string) => void}} host */
export function setUpLeaving({ dirty, forget, back, warn }) {
  let leaving = false;
  window.addEventListener("beforeunload", (event) => { if (dirty() && !leaving) event.preventDefault(); });
  return {
    /** The page is loaded again or left, and nothing is lost with it. */
    allow: () => { forget(); leaving = true; },
    leave: () => {
      const sure = !dirty() || leaving;
      leaving = true;
      if (sure) {
        forget();
        return location.assign(back);
      }
      warn("The box is not saved. Press Esc again to leave without saving, or Ctrl Enter to save it.");
      setTimeout(() => { leaving = false; }, ASKED_FOR_MS);
    },
  };
}
