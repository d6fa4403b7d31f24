// @ts-check
// Puts fragments that the server rendered in the place of the old ones. A fragment in which
// somebody is working (focus, selected text) is left alone until the next time.

/** @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/**
 * @param {HTMLElement} root
 * @param {Record<string, string>} fragments HTML by the name in data-fragment
 */
export function replace(root, fragments) {
  for (const [name, html] of Object.entries(fragments)) {
    const place = root.querySelector(`[data-fragment="${CSS.escape(name)}"]`);
    if (!place || shown.get(place) === html || isBusy(place)) continue;
    place.innerHTML = html;
    shown.set(place, html);
  }
}

/** @param {Element} place */
function isBusy(place) {
  const selection = document.getSelection();
  const selecting = Boolean(selection && !selection.isCollapsed && selection.anchorNode);
  return (
    place.contains(document.activeElement) ||
    (selecting && place.contains(/** @type {Selection} */ (selection).anchorNode))
  );
}
