import { h } from "./dom.ts";
import { createEmailForm } from "./email-form.ts";
import type { HandoverPolling } from "./handover-polling.ts";
import { fill, type Texts } from "./texts.ts";

/** Line above the field that shows whether a person answers, with what the visitor can do about it. */
export class HandoverBar {
  readonly element: HTMLElement;
  readonly #texts: Texts;
  readonly #text = h("p", {});
  readonly #back: HTMLButtonElement;
  readonly #form: HTMLFormElement;

  constructor(texts: Texts, actions: { back(): void; leave(email: string): Promise<boolean> }) {
    this.#texts = texts;
    this.#back = h("button", { type: "button", onclick: () => actions.back() }, texts.backToAssistant);
    this.#form = createEmailForm(texts, texts.leaveEmail, actions.leave);
    this.element = h("div", { class: "handover", hidden: true }, this.#text, this.#back, this.#form);
  }

  /** Shows a state. @returns the text if it is new, for screen readers */
  update({ state, isHeld }: Pick<HandoverPolling, "state" | "isHeld">): string | null {
    const text = this.#describe(state);
    const isLeaving = state?.status === "missed" && !state.has_contact;
    this.element.hidden = text === "";
    this.#back.hidden = !isHeld;
    this.#form.hidden = !isLeaving;
    if (text === this.#text.textContent) return null;
    this.#text.textContent = text;
    return text;
  }

  #describe(state: HandoverPolling["state"]): string {
    const name = state?.person?.name ?? this.#texts.person;
    switch (state?.status) {
      case "waiting":
        return fill(state.place === null ? this.#texts.waiting : this.#texts.waitingAt, { place: String(state.place) });
      case "claimed":
        return fill(state.is_typing ? this.#texts.typing : this.#texts.withPerson, { name });
      case "missed":
        return state.has_contact ? this.#texts.contactLeft : this.#texts.missed;
      case "returned":
      case "closed":
        return this.#texts.returned;
      default:
        return "";
    }
  }
}
