// @ts-check
// How long the reader has really been at this item: seconds in which the page was visible and
// the reader did something within the last minute (a clip that plays on its own is no work).

const IDLE = 60_000;

export function activeTime() {
  let seconds = 0;
  let last = performance.now();
  const seen = () => (last = performance.now());
  for (const name of ["keydown", "pointerdown", "pointermove", "wheel"]) {
    addEventListener(name, seen, { passive: true, capture: true });
  }
  setInterval(() => {
    const isHere = document.visibilityState === "visible" && performance.now() - last < IDLE;
    if (isHere) seconds += 1;
  }, 1000);
  return { get seconds() { return seconds; } };
}
