// @ts-check
/**
 * A steady reading of a clock that is reported a few times a second and lags behind a seek.
 * Pure: times in seconds, `now` in milliseconds.
 *
 * Between two reports the time runs on at the playing rate, for half a second at most. After
 * a seek the target is read until a report shows that the seek took effect.
 */

const RUN_ON = 0.5;
const SEEK_PATIENCE_MS = 1500;
const SAME = 0.3;

/**
 * @typedef {object} Clock
 * @property {number} time last report
 * @property {number} at ms when it came
 * @property {Seek | null} seek a seek without effect yet
 *
 * @typedef {object} Seek
 * @property {number} target
 * @property {number} from where the clock stood
 * @property {number} cached the report that stood then; it proves nothing when it comes again
 * @property {number} at ms
 */

/** @returns {Clock} */
export const makeClock = () => ({ time: 0, at: 0, seek: null });

/**
 * @param {Clock} clock @param {number} reported @param {number} now @param {number} rate 0 when paused
 * @returns {Clock}
 */
export function report(clock, reported, now, rate) {
  const { seek } = clock;
  if (seek && now - seek.at < SEEK_PATIENCE_MS) {
    const drift = ((now - seek.at) / 1000) * rate;
    const old = Math.abs(reported - seek.from - drift) <= SAME;
    const arrived = Math.abs(reported - seek.target - drift) <= SAME;
    if (reported === seek.cached || (old && !arrived)) return clock;
  }
  if (!seek && reported === clock.time) return clock; // the same cached value again
  return { time: reported, at: now, seek: null };
}

/** @param {Clock} clock @param {number} target @param {number} now @param {number} rate @returns {Clock} */
export function seekTo(clock, target, now, rate) {
  const from = read(clock, now, rate);
  const cached = clock.seek ? clock.seek.cached : clock.time;
  return { ...clock, seek: { target, from, cached, at: now } };
}

/** @param {Clock} clock @param {number} now @param {number} rate @returns {number} */
export function read(clock, now, rate) {
  if (clock.seek) return clock.seek.target;
  return clock.time + Math.min(RUN_ON, Math.max(0, (now - clock.at) / 1000)) * rate;
}
