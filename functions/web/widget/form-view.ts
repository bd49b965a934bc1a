import type { VisitorField, VisitorForm, VisitorInput } from "../../../shared/api/embed/visitor-form.ts";
import { h } from "./dom.ts";
import type { Texts } from "./texts.ts";

type Control = HTMLInputElement | HTMLSelectElement;

function toControl({ name, type, options, is_required }: VisitorField): Control {
  const attributes = { name, maxlength: "500", required: is_required };
  if (type !== "choice") return h("input", { ...attributes, type, autocomplete: type === "email" ? "email" : "on" });
  const choices = options.map((option) => h("option", { value: option }, option));
  return h("select", attributes, h("option", { value: "" }), ...choices);
}

/** Form that a visitor fills in before the chat, in place of the conversation. */
export class FormView {
  readonly element = h("div", { class: "before", hidden: true });
  readonly #texts: Texts;
  readonly #submit: (input: VisitorInput) => void;
  #form: VisitorForm | null = null;

  constructor(texts: Texts, submit: (input: VisitorInput) => void) {
    this.#texts = texts;
    this.#submit = submit;
  }

  /** Shows a form, or nothing for null. */
  update(form: VisitorForm | null): void {
    this.element.hidden = form === null;
    if (form === this.#form) return;
    this.#form = form;
    this.element.replaceChildren(...(form ? [this.#render(form)] : []));
  }

  focus(): void {
    this.element.querySelector<HTMLElement>("input, select")?.focus();
  }

  #render({ fields, consent }: VisitorForm): HTMLElement {
    const controls = fields.map((field) => [field, toControl(field)] as const);
    const agreement = h("input", { type: "checkbox", required: true });
    const submit = (event: Event) => {
      event.preventDefault();
      const values = Object.fromEntries(controls.map(([{ name }, { value }]) => [name, value]));
      this.#submit({ values, ...(consent && { consent: true as const }) });
    };
    return h(
      "form",
      { class: "fields", onsubmit: submit as EventListener },
      ...controls.map(([{ label }, control]) => h("label", { dir: "auto" }, label, control)),
      ...(consent ? [h("label", { class: "agreement", dir: "auto" }, agreement, consent)] : []),
      h("button", {}, this.#texts.startChat),
    );
  }
}
