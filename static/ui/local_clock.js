// @ts-check
// Times of day that the server wrote in its own zone, said in the reader's.

/** @param {ParentNode} [root] */
export function localClocks(root = document) {
  for (const time of root.querySelectorAll("time[data-clock]")) {
    const moment = new Date(time.getAttribute("datetime") ?? "");
    if (Number.isNaN(moment.getTime())) continue;
    time.textContent = moment.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  }
}
