// @ts-check
// Asks again and again: often while the page is seen, seldom while it is hidden, ever more
// seldom while the server does not answer; stops when there is nothing more to come.

const SEEN = 2000;
const HIDDEN = 20000;
const LONGEST = 60000;

/**
 * @param {{hidden: boolean, failures: number}} now
 * @returns {number} milliseconds until the next question
 */
export function delayAfter({ hidden, failures }) {
  const usual = hidden ? HIDDEN : SEEN;
  return failures ? Math.min(LONGEST, usual * 2 ** Math.min(failures, 6)) : usual;
}

/**
 * @param {() => Promise<boolean>} ask true while there is more to come
 * @param {(now: {hidden: boolean, failures: number}) => number} delay
 */
export function startPolling(ask, delay) {
  let failures = 0;
  let timer = 0;
  let asking = false;
  let more = true;

  async function once() {
    clearTimeout(timer);
    if (asking || !more) return;
    asking = true;
    try {
      more = await ask();
      failures = 0;
    } catch {
      failures += 1;
    }
    asking = false;
    if (more) timer = window.setTimeout(once, delay({ hidden: document.hidden, failures }));
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) once();
  });
  timer = window.setTimeout(once, delay({ hidden: document.hidden, failures }));
}
