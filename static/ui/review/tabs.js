// @ts-check
// What the tabs of one reader tell each other: what was saved in one shows in the others.

/**
 * @param {number} user
 * @param {(message: any) => void} heard
 */
export function tabsOf(user, heard) {
  if (!("BroadcastChannel" in window)) return { tell: () => {} };
  const channel = new BroadcastChannel(`sonovqa/${user}`);
  channel.addEventListener("message", (event) => heard(event.data));
  return {
    /** @param {any} message */
    tell: (message) => channel.postMessage(message),
  };
}

/**
 * Run something in one tab at a time. Where the browser has no locks (plain http on a network),
 * it runs at once: every entry has an id of its own, so that a second one does no harm.
 * @param {string} name @param {() => Promise<void>} run
 */
export function oneAtATime(name, run) {
  return navigator.locks ? navigator.locks.request(name, run) : run();
}
