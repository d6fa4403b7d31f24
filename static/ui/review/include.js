// @ts-check
// Fills [data-html-include="URL"] with a fragment of our own server. Where there is none, or it
// may not be seen, the place stays empty: a missing fragment never breaks the page around it.

/** @param {ParentNode} root */
export async function loadIncludes(root) {
  const places = [...root.querySelectorAll("[data-html-include]")];
  await Promise.all(places.map((place) => load(/** @type {HTMLElement} */ (place))));
}

/** @param {HTMLElement} place */
async function load(place) {
  const url = place.dataset.htmlInclude ?? "";
  delete place.dataset.htmlInclude;
  place.dataset.included = "";
  try {
    const answer = await fetch(url, { credentials: "same-origin", headers: { Accept: "text/html" } });
    const text = answer.ok && !answer.redirected ? await answer.text() : "";
    place.innerHTML = text; // our own template, escaped by the server
  } catch {
    place.replaceChildren();
  }
  place.removeAttribute("aria-busy");
  placePicks(place);
}

/**
 * A fragment may bring marks for single options: <template data-picks-for="2">…</template> goes
 * to the option with that place in the store.
 * @param {HTMLElement} fragment
 */
function placePicks(fragment) {
  for (const template of fragment.querySelectorAll("template[data-picks-for]")) {
    const index = template.getAttribute("data-picks-for");
    const target = document.querySelector(`[data-picks="${CSS.escape(index ?? "")}"]`);
    target?.replaceChildren(/** @type {HTMLTemplateElement} */ (template).content);
    template.remove();
  }
}
