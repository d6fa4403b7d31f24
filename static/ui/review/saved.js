// @ts-check
// The line in the top bar that always tells the truth about saving.

const LOOKS = { saved: "#i-cloud", saving: "#i-retry", waiting: "#i-alert" };

const SAID = "saved/at"; // an edit's receipt, told after the page was loaded again

/** @param {string} at */
export function keepSaid(at) {
  sessionStorage.setItem(SAID, at);
}

/** @param {string} iso */
function localTime(iso) {
  const time = iso ? new Date(iso) : new Date();
  return time.toLocaleTimeString("en-GB", { hour12: false });
}

/**
 * @param {HTMLElement} line
 * @param {import("./sender.js").Sender} sender
 */
export function setUpSavedLine(line, sender) {
  /** @param {"saved" | "saving" | "waiting"} look @param {string} text @param {string} [more] */
  function show(look, text, more = "") {
    const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    icon.setAttribute("class", look === "saved" ? "i good" : "i");
    icon.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", LOOKS[look]);
    icon.append(use);
    line.classList.toggle("warn", look === "waiting");
    line.replaceChildren(icon, text);
    line.title = more;
  }

  const on = (/** @type {string} */ name, /** @type {(detail: any) => void} */ act) =>
    sender.addEventListener(name, (event) => act(/** @type {CustomEvent} */ (event).detail));

  on("saving", () => show("saving", "Saving"));
  on("saved", ({ receipt, left }) => {
    if (left === 0) show("saved", `Saved ${localTime(receipt.saved_at)}`);
  });
  on("waiting", ({ count, counted, seconds, why }) => {
    const more = `${counted} kept on this machine until the server answers: ${why}.`;
    show("waiting", `Not saved, ${count} kept`, `${more} Trying again in ${seconds} s.`);
  });
  on("signed-out", ({ count, counted }) => count &&
    show("waiting", `Not saved, ${count} kept`, `You are signed out. ${counted} kept here.`));
  on("held", ({ count, counted }) => show("waiting", count
    ? `No connection; ${counted} ${count === 1 ? "is" : "are"} kept here`
    : "No connection; all saved"));
  addEventListener("online", () => line.textContent?.includes("all saved") && show("saved", "All saved"));
  on("refused", ({ left }) => {
    if (left === 0) show("waiting", "Not saved, see below");
  });
  const said = sessionStorage.getItem(SAID);
  sessionStorage.removeItem(SAID);
  show("saved", said ? `Saved ${localTime(said)}` : "All saved");
}
