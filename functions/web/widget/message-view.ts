import { blockElements, type ContentElement, type MarkdownModule, markdownElements } from "./blocks.ts";
import type { WidgetMessage } from "./chat.ts";
import { h } from "./dom.ts";
import { type Rate, RatingView } from "./rating-view.ts";
import { fill, type Texts } from "./texts.ts";
import { type Decide, ToolCardsView } from "./tool-cards.ts";

/** Rendered message. While the message grows, elements of finished blocks are reused. */
export class MessageView {
  readonly element: HTMLElement;
  readonly #texts: Texts;
  readonly #body = h("div", { class: "body", dir: "auto" });
  readonly #note = h("p", { class: "note", hidden: true });
  readonly #removed = h("p", { class: "note", hidden: true });
  readonly #rating: RatingView | null;
  readonly #cards: ToolCardsView;
  #keys: string[] = [];

  constructor(
    { role, files = [], person }: WidgetMessage,
    assistantName: string,
    texts: Texts,
    { rate, decide }: { readonly rate: Rate; readonly decide: Decide },
  ) {
    this.#texts = texts;
    this.#rating = role === "assistant" && !person ? new RatingView(texts, rate) : null;
    const name = person
      ? h("p", { class: "note", dir: "auto" }, person.name ?? texts.person)
      : h("span", { class: "hidden" }, `${role === "user" ? texts.you : assistantName}: `);
    this.#cards = new ToolCardsView(texts, decide);
    const { element: cards } = this.#cards;
    this.element = h("li", { class: `message ${role}` }, name, this.#removed, this.#body, cards, this.#note);
    if (files.length > 0)
      this.#body.before(h("p", { class: "note", dir: "auto" }, files.map((file) => file.file_name).join(", ")));
    if (this.#rating) this.element.append(this.#rating.element);
  }

  /** Text as displayed, without Markdown syntax, for screen readers. */
  get text(): string {
    return this.#body.innerText.trim();
  }

  update(message: WidgetMessage, markdown: MarkdownModule): void {
    const { role, status, removed, cards } = message;
    const elements = this.#toElements(message, markdown);
    this.#render(elements);
    this.#cards.update(cards);
    const isEmpty = elements.length === 0;
    const isAsking = cards.some((card) => card.status === "waiting");
    this.element.classList.toggle("waiting", status === "streaming" && isEmpty && !isAsking);
    this.element.hidden = status === "failed" && isEmpty && cards.length === 0;
    this.#note.textContent = role === "assistant" && status === "interrupted" ? this.#texts.stopped : "";
    if (status === "failed") this.#note.textContent = this.#texts.incomplete;
    this.#removed.textContent = removed ? fill(this.#texts.removed, { kinds: removed.join(", ") }) : "";
    this.#removed.hidden = !removed;
    this.#note.hidden = !this.#note.textContent;
    this.#rating?.update(message);
  }

  #toElements({ role, text, blocks }: WidgetMessage, markdown: MarkdownModule): ContentElement[] {
    if (role === "assistant") {
      return blocks ? blockElements(blocks, this.#texts, markdown) : markdownElements(text, this.#texts, markdown);
    }
    // Messages of visitors are shown verbatim.
    const userText = blocks ? blocks.map((block) => ("text" in block ? block.text : "")).join("\n\n") : text;
    return [{ key: userText, render: () => h("p", { class: "said" }, userText) }];
  }

  #render(elements: readonly ContentElement[]): void {
    let unchangedCount = 0;
    while (unchangedCount < elements.length && elements[unchangedCount]?.key === this.#keys[unchangedCount]) {
      unchangedCount++;
    }
    while (this.#body.children.length > unchangedCount) this.#body.lastElementChild?.remove();
    this.#body.append(...elements.slice(unchangedCount).map((piece) => piece.render()));
    this.#keys = elements.map(({ key }) => key);
  }
}
