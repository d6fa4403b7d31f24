// @ts-check
// A vote that the server did not take is told where the reader votes: what it was, why it was
// refused, and where to look. Nothing is overwritten and nothing vanishes in silence.

const WORDS = { keep: "Keep", drop: "Drop", unsure: "Unsure", skip: "Skip", undo: "Undo", answer: "Your answer" };

/** @param {{type?: string, detail?: string, status?: number, current?: any, base?: any}} problem */
export function reasonOf(problem) {
  if (problem.type === "urn:sonovqa:stale" && problem.current) {
    const since = problem.base ? ` since v${problem.base.version}` : "";
    return `The item changed${since}: v${problem.current.version} stands now. Read it again and vote.`;
  }
  return problem.detail ?? `The server answered ${problem.status}.`;
}

/**
 * @param {HTMLElement} root
 * @param {import("./sender.js").Sender} sender
 * @param {() => unknown} reopen shows the item as it stands now
 */
export function setUpRefused(root, sender, reopen) {
  sender.addEventListener("refused", async (event) => {
    const { entry, problem } = /** @type {CustomEvent} */ (event).detail;
    const isHere = entry.item === root.dataset.item;
    const written = entry.body?.comment ?? "";
    if (isHere) await reopen();
    const comment = /** @type {HTMLInputElement | null} */ (root.querySelector("[data-comment]"));
    if (isHere && comment && !comment.value) comment.value = written; // the words are not lost with it
    const note = /** @type {HTMLElement | null} */ (root.querySelector("[data-conflict]"));
    const text = note?.querySelector("div");
    if (!note || !text) return;
    const title = document.createElement("strong");
    const what = WORDS[/** @type {keyof typeof WORDS} */ (entry.what)] ?? entry.what;
    title.textContent = `${what} was not saved. `;
    text.replaceChildren(title, reasonOf(problem));
    if (!isHere) {
      const link = document.createElement("a");
      link.href = entry.page;
      link.textContent = "Open that item";
      text.append(" ", link);
    } else if (problem.type === "urn:sonovqa:stale") {
      const link = document.createElement("a");
      link.href = location.href;
      link.textContent = "Load it";
      text.append(" ", link);
    }
    note.hidden = false;
  });
}
