import type { WidgetMessage } from "./chat.ts";
import { h, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import type { Texts } from "./texts.ts";

/** Stores the rating of a reply; resolves to false if that failed. */
export type Rate = (messageId: string, rating: "up" | "down") => Promise<boolean>;

/** Buttons below a complete reply that rate it as helpful or not helpful. */
export class RatingView {
  readonly element: HTMLElement;
  readonly #texts: Texts;
  readonly #rate: Rate;
  readonly #status = h("span", { class: "hidden", role: "status" });
  readonly #buttons: Readonly<Record<"up" | "down", HTMLButtonElement>>;
  #messageId: string | null = null;

  constructor(texts: Texts, rate: Rate) {
    this.#texts = texts;
    this.#rate = rate;
    const thumb = (rating: "up" | "down", name: string, path: string) =>
      h(
        "button",
        {
          type: "button",
          "aria-label": name,
          title: name,
          "aria-pressed": "false",
          onclick: () => this.#choose(rating),
        },
        icon(path),
      );
    this.#buttons = {
      up: thumb("up", texts.helpful, icons.thumbUp),
      down: thumb("down", texts.unhelpful, icons.thumbDown),
    };
    this.element = h("div", { class: "rating", hidden: true }, this.#buttons.up, this.#buttons.down, this.#status);
  }

  update({ id, status }: WidgetMessage): void {
    this.#messageId = id;
    this.element.hidden = status !== "complete" || id === null;
  }

  async #choose(rating: "up" | "down"): Promise<void> {
    if (!this.#messageId || !(await this.#rate(this.#messageId, rating))) return;
    for (const [name, button] of Object.entries(this.#buttons)) {
      button.setAttribute("aria-pressed", String(name === rating));
    }
    this.#status.textContent = this.#texts.rated;
  }
}
