// @ts-check
// Requests to our own server, with the CSRF token of the cookie as it stands at that moment:
// signing in changes it, and a token that was kept would be refused.

const KEPT_ALIVE = 16_000; // signs; browsers refuse to keep more than 64 KiB alive

export function csrfToken() {
  const match = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
  return match ? decodeURIComponent(match[1]) : "";
}

/**
 * @param {string} method
 * @param {string} url
 * @param {unknown} [data]
 * @param {Record<string, string>} [more] headers
 * @returns {Promise<Response>}
 */
export function sendJson(method, url, data, more) {
  const body = data === undefined ? undefined : JSON.stringify(data);
  return fetch(url, {
    method,
    credentials: "same-origin",
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      "X-CSRFToken": csrfToken(),
      ...more,
    },
    body,
    keepalive: (body?.length ?? 0) < KEPT_ALIVE, // goes on when the page is left
  });
}

/**
 * @param {string} url
 * @param {URLSearchParams} form
 * @returns {Promise<Response>}
 */
export function post(url, form) {
  form.delete("csrfmiddlewaretoken"); // that of the page, which Django would look at first
  return fetch(url, {
    method: "POST",
    credentials: "same-origin",
    headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
    body: form,
  });
}
