import { h } from "./dom.ts";
import { createEmailForm } from "./email-form.ts";
import { fill, type Texts } from "./texts.ts";

/** Line above the field in which the visitor asks for the conversation by e-mail. */
export class TranscriptBar {
  readonly element: HTMLElement;
  readonly #text = h("p", {});
  readonly #form: HTMLFormElement;
  readonly #prompt: string;

  /**
   * @param request returns true if the address was stored
   * @param announce reads a text to users of screen readers
   */
  constructor(texts: Texts, request: (email: string) => Promise<boolean>, announce: (text: string) => void) {
    this.#prompt = texts.transcript;
    this.#form = createEmailForm(texts, texts.sendTranscript, async (email) => {
      const isStored = await request(email);
      this.#text.textContent = isStored ? fill(texts.transcriptSent, { email }) : texts.transcriptFailed;
      this.#form.hidden = isStored;
      announce(this.#text.textContent);
      return isStored;
    });
    this.element = h("div", { class: "transcript", hidden: true });
  }

  /** Shows the field for the address, or hides it. */
  toggle(): void {
    if (!this.element.hidden) {
      this.hide();
      return;
    }
    this.#text.textContent = this.#prompt;
    this.#form.hidden = false;
    this.element.replaceChildren(this.#text, this.#form);
    this.element.hidden = false;
    this.#form.querySelector("input")?.focus();
  }

  hide(): void {
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}
