// @ts-check
// Sends an edit: the item's new version, then the category of its video where that was changed.
// A dead network or a busy server only make it later; an ended session is asked to come back.

import { needsSignIn, sendPatiently } from "./patient.js";

/**
 * @typedef {{base: number, changes: Record<string, unknown>, category: {was: string, now: string} | null,
 *   reason: string, cosmetic: boolean, user: number}} Edit
 * @typedef {{versions: string, category: string}} Places
 * @typedef {"saved" | "conflict" | "signed-out" | "refused" | "given up"} Outcome
 */

/**
 * @param {() => Edit} edit read anew at each try @param {Places} places
 * @param {(why: string, seconds: number) => void} waiting @param {{stopped: boolean}} way
 * @returns {Promise<{outcome: Outcome, status: number, body: any}>}
 */
export async function saveEdit(edit, places, waiting, way) {
  /** @type {any} */ let receipt = {};
  if (Object.keys(edit().changes).length) {
    const told = await sendPatiently("POST", places.versions, () => {
      const { base, changes, reason, cosmetic, user } = edit();
      return { base_version: base, changes, reason, cosmetic, reader: user };
    }, waiting, way);
    if (!told?.ok) return ended(told);
    receipt = told.body;
  }
  if (edit().category) {
    const told = await sendPatiently("PUT", places.category, () => {
      const { category, reason, user } = edit();
      return { was: category?.was, category: category?.now, reason, reader: user };
    }, waiting, way);
    if (!told?.ok) return ended(told, receipt);
    receipt = { ...told.body, ...receipt };
  }
  return { outcome: "saved", status: 200, body: receipt };
}

/** @param {import("./patient.js").Told | null} told @param {any} [already] what was saved before it */
function ended(told, already) {
  if (!told) return { outcome: /** @type {Outcome} */ ("given up"), status: 0, body: {} };
  const isConflict = told.status === 409 && told.body.current;
  const outcome = needsSignIn(told) ? "signed-out" : isConflict ? "conflict" : "refused";
  return { outcome: /** @type {Outcome} */ (outcome), status: told.status, body: told.body, already };
}

/** What to say of a refusal, and what to do about it. @param {number} status @param {any} problem */
export function refusalText(status, problem) {
  const errors = Object.entries(problem.errors ?? {}).map(([name, text]) =>
    `${name.replaceAll("_", " ")}: ${JSON.stringify(text).replace(/["[\]{}]/g, "")}`);
  const what = errors.join("; ") || problem.detail || `the server answered ${status}`;
  const todo = status === 403 ? " What you typed stays here; ask an admin for the right to edit." : "";
  return `Not saved: ${what}${todo}`;
}
