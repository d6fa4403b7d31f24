// @ts-check
/**
 * When a loop has to jump back to its start: pure, so that it can be tested apart.
 *
 * A player's clock lags behind a seek, so a jump is asked for once and then held off for a
 * while AND until the time is seen below the end; otherwise seeks pile up (a "seek storm").
 * Times are in seconds, `now` in milliseconds of a steady clock.
 */

const LEAD = 0.08; // jump a little early: the poll comes about every 16 ms, and late frames show
const HOLD_MS = 400;
const SHORTEST_HOLD_MS = 60;
const PATIENCE_MS = 3000; // a seek that has had no effect by then was lost

/**
 * @typedef {object} Loop
 * @property {number} start
 * @property {number} end
 * @property {number} heldUntil ms; no jump before
 * @property {boolean} armed false from a jump until the time falls below the end
 * @property {boolean} free the person went past the end on purpose: play on until below the end
 */

/** @param {number} start @param {number} end @returns {Loop} */
export function makeLoop(start, end) {
  if (!Number.isFinite(start) || !Number.isFinite(end) || end <= start) {
    throw new RangeError(`no loop from ${start} to ${end}`);
  }
  return { start, end, heldUntil: 0, armed: true, free: false };
}

/** How long to hold off after a jump, ms: less for clips shorter than that. @param {Loop} loop */
export function holdFor({ start, end }) {
  return Math.max(SHORTEST_HOLD_MS, Math.min(HOLD_MS, ((end - start) * 1000) / 2));
}

/** Where the jump is due, seconds. @param {Loop} loop */
export function dueAt({ start, end }) {
  return end - Math.min(LEAD, (end - start) / 4);
}

/**
 * One look at the clock.
 * @param {Loop} loop @param {number} time @param {number} now
 * @returns {{loop: Loop, jump: boolean}}
 */
export function look(loop, time, now) {
  const due = time >= dueAt(loop);
  if (!due) {
    return { loop: loop.armed && !loop.free ? loop : { ...loop, armed: true, free: false }, jump: false };
  }
  if (loop.free || now < loop.heldUntil) return { loop, jump: false };
  if (!loop.armed && now < loop.heldUntil + PATIENCE_MS) return { loop, jump: false };
  return { loop: { ...loop, armed: false, heldUntil: now + holdFor(loop) }, jump: true };
}

/**
 * A seek by the person. Past the end it sets the loop free until the time is below the end.
 * @param {Loop} loop @param {number} time @param {number} now @returns {Loop}
 */
export function sought(loop, time, now) {
  const past = time >= dueAt(loop);
  return { ...loop, free: past, armed: !past, heldUntil: past ? now : now + holdFor(loop) };
}
