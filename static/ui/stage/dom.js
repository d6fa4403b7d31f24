// @ts-check
/** Makes elements without markup in strings: texts of items and events are never parsed as HTML. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean>} Attributes */

/**
 * @param {string} name @param {Attributes} [attributes] @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function html(name, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (fill(document.createElement(name), attributes, children));
}

/**
 * @param {string} name @param {Attributes} [attributes] @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (fill(document.createElementNS(SVG, name), attributes, children));
}

/** @param {string} name an icon of the sprite */
export const icon = (name) =>
  svg("svg", { class: "i", "aria-hidden": "true" }, svg("use", { href: `#i-${name}` }));

/** @param {Element} element @param {Attributes} attributes */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Element} element @param {Attributes} attributes @param {(Node | string)[]} children */
function fill(element, attributes, children) {
  set(element, attributes);
  element.append(...children);
  return element;
}

/** The part of a page that must be there. @param {ParentNode} root @param {string} selector @returns {any} */
export function part(root, selector) {
  const found = root.querySelector(selector);
  if (!found) throw new Error(`the page lacks ${selector}`);
  return found;
}
