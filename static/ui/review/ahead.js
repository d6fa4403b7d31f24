// @ts-check
// Has the browser read the next item's page while the reader looks at the evidence of this one.
// Where a browser cannot, the page comes a moment later.

/** @param {string} url of our own site */
export function readAhead(url) {
  if (!url || !HTMLScriptElement.supports?.("speculationrules")) return;
  const rules = document.createElement("script");
  rules.type = "speculationrules"; // allowed by 'inline-speculation-rules' of our policy, runs nothing
  rules.textContent = JSON.stringify({ prefetch: [{ source: "list", urls: [url], eagerness: "immediate" }] });
  document.head.append(rules);
}
