// @ts-check
// Grading an answer: points by 0, 1, 2; what is wrong by 3, 4, 5. What is pressed shows at once;
// the grade goes to the outbox of this browser and outlives a dead network and an ended session.

import { register, registerLayer } from "../keys.js";
import { activeTime } from "../review/active_time.js";
import { setUpGuide } from "../review/guide.js";
import { newId } from "../review/outbox.js";
import { setUpRefused } from "../review/refused.js";
import { setUpSavedLine } from "../review/saved.js";
import { Sender } from "../review/sender.js";
import { setUpSignIn } from "../review/sign_in.js";
import { setUpList } from "./list.js";

const PATIENCE = 1000; // ms that the way to the next answer waits for the last grade
const FULL = "2";

/** @param {HTMLElement} root */
function setUpGrading(root) {
  const sender = new Sender(Number(root.dataset.user));
  const time = activeTime();
  const bar = /** @type {HTMLElement} */ (root.querySelector("[data-decide]"));
  const find = (/** @type {string} */ name) => /** @type {HTMLElement} */ (bar.querySelector(name));
  const all = (/** @type {string} */ name) => /** @type {HTMLElement[]} */ ([...bar.querySelectorAll(name)]);
  const list = setUpList(root.dataset.item ?? "");
  let armed = ""; // points that wait for what is wrong

  function show() {
    const { score = "", error = "", gradeId = "" } = bar.dataset;
    const points = armed || score;
    for (const one of all("[data-points]")) {
      one.setAttribute("aria-pressed", String(one.dataset.points === points));
      one.toggleAttribute("data-armed", Boolean(armed) && one.dataset.points === armed);
    }
    for (const one of /** @type {HTMLButtonElement[]} */ (all("[data-error-type]"))) {
      one.disabled = points === "" || points === FULL;
      one.setAttribute("aria-pressed", String(!armed && one.dataset.errorType === error));
    }
    find("[data-errors-hint]").textContent = armed ? `${armed} ${armed === "1" ? "point" : "points"}: press 3, 4 or 5`
      : points === "" ? "0, 1 or 2 first" : points === FULL ? "nothing is" : "another digit changes it";
    /** @type {HTMLButtonElement} */ (find("[data-undo]")).disabled = !gradeId && !armed;
    find('[data-go="open"]').hidden = !gradeId || Boolean(armed);
  }

  /** @param {"PUT" | "DELETE"} method @param {string} id @param {object} [body] */
  const send = (method, id, body) => sender.add({
    id, user: sender.user, method, body, what: method === "PUT" ? "Your grade" : "Undo", item: root.dataset.item ?? "",
    page: location.pathname, url: `${root.dataset.grades}${id}/`, at: Date.now(),
  });

  /** @param {string} score @param {string} error @param {boolean} [skipped] */
  async function give(score, error, skipped = false) {
    const id = newId();
    armed = "";
    Object.assign(bar.dataset, { score, error, gradeId: id });
    find("[data-pass]").setAttribute("aria-pressed", String(skipped));
    show();
    list.note(skipped ? "passed over" : `${score} of 2`, !skipped);
    const said = skipped ? { skipped: true } : { score: Number(score), error_type: error };
    await send("PUT", id, { ...said, active_seconds: time.seconds, reader: sender.user });
    if (skipped) return go("open");
    find('[data-go="open"]').focus();
  }

  /** @param {string} score */
  function points(score) {
    if (score === FULL) return void give(FULL, "none");
    armed = score;
    show();
    find("[data-error-type]").focus();
  }

  /** @param {string} error */
  function wrong(error) {
    const score = armed || bar.dataset.score || "";
    if (score !== "" && score !== FULL) give(score, error);
  }

  /** Take back what was pressed, else what was given; the server says what stands then. */
  async function undo() {
    const id = bar.dataset.gradeId;
    if (armed) armed = "";
    else if (id) {
      Object.assign(bar.dataset, { score: "", error: "", gradeId: "" });
      find("[data-pass]").setAttribute("aria-pressed", "false");
      list.note("to grade", false);
      await send("DELETE", id);
    }
    show();
  }

  /** @param {string} where */
  async function go(where) {
    const link = document.querySelector(`[data-go="${where}"]`);
    if (!(link instanceof HTMLAnchorElement) || !link.href || (where === "open" && link.hidden)) return;
    await sender.settled(PATIENCE);
    if (!(await sender.holds())) location.assign(link.href);
  }

  root.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const score = target.closest("[data-points]")?.getAttribute("data-points");
    const error = target.closest("[data-error-type]")?.getAttribute("data-error-type");
    const way = target.closest("[data-go]")?.getAttribute("data-go");
    if (score) points(score);
    else if (error) wrong(error);
    else if (target.closest("[data-pass]")) give("", "", true);
    else if (target.closest("[data-undo]")) undo();
    else if (way && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); go(way); }
  });

  // What had been given before stands again: shown unless something else was pressed meanwhile.
  sender.addEventListener("saved", (event) => {
    const { entry, receipt } = /** @type {CustomEvent} */ (event).detail;
    const back = receipt?.standing;
    if (entry.method !== "DELETE" || entry.item !== root.dataset.item || !back || bar.dataset.gradeId) return;
    Object.assign(bar.dataset, { score: back.score ?? "", error: back.error_type, gradeId: back.id });
    find("[data-pass]").setAttribute("aria-pressed", String(back.skipped));
    list.note(back.skipped ? "passed over" : `${back.score} of 2`, !back.skipped);
    show();
  });
  setUpSavedLine(/** @type {HTMLElement} */ (document.querySelector("[data-saved]")), sender);
  setUpSignIn(root, sender);
  setUpRefused(root, sender, () => undefined);
  const guide = setUpGuide();
  const names = all("[data-error-type]").map((one) => one.dataset.errorType ?? "");
  /** @param {string} key @param {string} label @param {() => void} run */
  const key = (key, label, run) => ({ group: "Grade", keys: [key], label, run });
  // Digits stand above what a reader has moved there: 0 is a place that keys may be moved to.
  registerLayer(() => [
    ...["0", "1", FULL].map((digit) => key(`Digit${digit}`, `${digit} point${digit === "1" ? "" : "s"}`, () => points(digit))),
    ...names.map((name, place) => key(`Digit${place + 3}`, name.replaceAll("_", " "), () => wrong(name))),
  ], () => true);
  register([
    key("KeyS", "pass over", () => void give("", "", true)),
    key("KeyZ", "undo", undo),
    key("Enter", "next that waits", () => go("open")),
    key("KeyJ", "previous in the list", () => go("previous")),
    key("KeyN", "next in the list", () => go("next")),
    key("KeyG", "guidelines", guide.toggle),
  ]);
  show();
  sender.flush();
}

setUpGrading(/** @type {HTMLElement} */ (document.querySelector("[data-item]")));
