import { blockPieces, markdownPieces, type Piece } from "./blocks.ts";
import type { ShownMessage } from "./chat.ts";
import { h } from "./dom.ts";
import type { Texts } from "./texts.ts";

/** One message on the screen. While it grows, what is finished of it stays as it is. */
export class MessageView {
  readonly element: HTMLElement;
  readonly #texts: Texts;
  readonly #body = h("div", { class: "body", dir: "auto" });
  readonly #note = h("p", { class: "note", hidden: true });
  #keys: string[] = [];

  constructor({ role }: ShownMessage, speaker: string, texts: Texts) {
    this.#texts = texts;
    const name = h("span", { class: "hidden" }, `${role === "user" ? texts.you : speaker}: `);
    this.element = h("li", { class: `message ${role}` }, name, this.#body, this.#note);
  }

  /** What is to be read of it, as it is shown: without the marks of its Markdown. */
  get text(): string {
    return this.#body.innerText.trim();
  }

  update(message: ShownMessage): void {
    const { role, status } = message;
    const pieces = this.#pieces(message);
    this.#show(pieces);
    const isWaiting = status === "streaming" && pieces.length === 0;
    this.element.classList.toggle("waiting", isWaiting);
    this.element.hidden = status === "failed" && pieces.length === 0;
    this.#note.textContent = role === "assistant" && status === "interrupted" ? this.#texts.stopped : "";
    if (status === "failed") this.#note.textContent = this.#texts.incomplete;
    this.#note.hidden = !this.#note.textContent;
  }

  #pieces({ role, text, blocks }: ShownMessage): Piece[] {
    if (role === "assistant") return blocks ? blockPieces(blocks, this.#texts) : markdownPieces(text, this.#texts);
    // What visitors write is shown as they wrote it.
    const said = blocks ? blocks.map((block) => ("text" in block ? block.text : "")).join("\n\n") : text;
    return [{ key: said, render: () => h("p", { class: "said" }, said) }];
  }

  #show(pieces: readonly Piece[]): void {
    let same = 0;
    while (same < pieces.length && pieces[same]?.key === this.#keys[same]) same++;
    while (this.#body.children.length > same) this.#body.lastElementChild?.remove();
    this.#body.append(...pieces.slice(same).map((piece) => piece.render()));
    this.#keys = pieces.map(({ key }) => key);
  }
}
