// @ts-check
// One answer as a page of its own: the next one by key.

import { register } from "../keys.js";

function follow() {
  const link = document.querySelector('a[rel="next"]');
  if (link instanceof HTMLAnchorElement) link.click();
}

register([{ group: "Items", keys: ["KeyN"], label: "next item", run: follow }]);
