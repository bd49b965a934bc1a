import { h } from "./dom.ts";
import type { Texts } from "./texts.ts";

/**
 * Creates a form with which a visitor enters an address.
 * @param submit returns true if the address was stored, after which the field is empty
 */
export function createEmailForm(texts: Texts, button: string, submit: (email: string) => Promise<boolean>) {
  const field = h("input", { type: "email", required: "", maxlength: "254", autocomplete: "email" });
  field.setAttribute("aria-label", texts.email);
  field.placeholder = texts.email;
  const onsubmit = async (event: Event) => {
    event.preventDefault();
    if (await submit(field.value.trim())) field.value = "";
  };
  return h("form", { class: "contact", onsubmit: onsubmit as EventListener }, field, h("button", {}, button));
}
