import { AssistantChatElement } from "./assistant-chat.ts";

const tag = "assistant-chat";

/** Adds the chat element to the page. Copies `data-*` attributes of the script tag: `data-embed-key` → `embed-key`. */
function mount(script: HTMLScriptElement): void {
  const element = document.createElement(tag) as AssistantChatElement;
  for (const { name, value } of script.attributes) {
    if (name.startsWith("data-")) element.setAttribute(name.slice("data-".length), value);
  }
  document.body.append(element);
  Object.assign(window, { assistantChat: element });
  element.dispatchEvent(new CustomEvent("assistant-chat:loaded", { bubbles: true, composed: true }));
}

if (!customElements.get(tag)) {
  customElements.define(tag, AssistantChatElement);
  const script = document.currentScript as HTMLScriptElement | null;
  if (script?.dataset.embedKey) {
    if (document.body) mount(script);
    else document.addEventListener("DOMContentLoaded", () => mount(script), { once: true });
  }
}
