/** Scripts by the address of their service. */
const scripts = new Map();

/** Policy of pages that require Trusted Types, for the address of the script; created when it is first used. */
let policy;

function toTrustedUrl(url) {
  const { trustedTypes } = globalThis;
  if (!trustedTypes) return url;
  policy ??= trustedTypes.createPolicy("assistant-chat", { createScriptURL: (address) => address });
  return policy.createScriptURL(url);
}

/**
 * Loads the widget from a service once, so that its version is always that of the service. Resolves when `assistant-chat` elements
 * work, and rejects if the script cannot be loaded; the next call loads it again.
 */
export function loadAssistantChat(baseUrl) {
  const url = `${baseUrl.replace(/\/$/, "")}/v1/embed/widget.js`;
  if (customElements.get("assistant-chat")) return Promise.resolve();
  if (!scripts.has(url)) {
    const loading = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.async = true;
      script.src = toTrustedUrl(url);
      script.onload = () => resolve();
      script.onerror = () => {
        script.remove();
        scripts.delete(url);
        reject(new Error(`The widget cannot be loaded from ${url}.`));
      };
      document.head.append(script);
    });
    scripts.set(url, loading);
  }
  return scripts.get(url);
}

/** Adds the widget to the page. Returns its element, whose methods work when `loadAssistantChat` has resolved. */
export function mountAssistantChat({ baseUrl, embedKey, ...attributes }) {
  const element = document.createElement("assistant-chat");
  for (const [name, value] of Object.entries({ "base-url": baseUrl, "embed-key": embedKey, ...attributes })) {
    if (value != null)
      element.setAttribute(
        name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
        value,
      );
  }
  document.body.append(element);
  return element;
}
