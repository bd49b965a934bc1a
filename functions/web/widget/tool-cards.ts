import type { ToolCard } from "../../../shared/api/embed/tool-card.ts";
import { h } from "./dom.ts";
import type { Texts } from "./texts.ts";

/** Call of a tool as the widget shows it. Calls of earlier answers have neither ids nor arguments. */
export type WidgetCard = Pick<ToolCard, "title" | "status"> & Partial<ToolCard>;

/** Answers whether the assistant may call a tool. */
export type Decide = (card: WidgetCard, decision: "approve" | "deny") => void;

type Row = NonNullable<ToolCard["arguments"]>[number];

function toText({ value, bound }: Row, texts: Texts): string {
  if (bound) return bound === "visitor.sub" ? texts.yourAccount : texts.yourEmail;
  return typeof value === "boolean" ? (value ? texts.yes : texts.no) : (value ?? "");
}

/** Returns a card in words, for screen readers. */
export function describeCard({ title, status, arguments: rows = [] }: WidgetCard, texts: Texts): string {
  if (status !== "waiting") return `${title}: ${texts.toolStates[status]}`;
  return [texts.toolAsks, title, ...rows.map((row) => `${row.label}: ${toText(row, texts)}`)].join(" – ");
}

/** Lines of the tools that were called for an answer, and the question whether one may be called. */
export class ToolCardsView {
  readonly element = h("ul", { class: "tools", hidden: true });
  readonly #texts: Texts;
  readonly #decide: Decide;
  #key = "";

  constructor(texts: Texts, decide: Decide) {
    this.#texts = texts;
    this.#decide = decide;
  }

  update(cards: readonly WidgetCard[]): void {
    const key = cards.map(({ title, status, approval_id }) => `${title} ${status} ${approval_id}`).join("\n");
    if (key === this.#key) return;
    this.#key = key;
    this.element.hidden = cards.length === 0;
    this.element.replaceChildren(
      ...cards.map((card) => {
        if (card.status === "waiting") return h("li", {}, this.#question(card));
        const state = h("span", {}, this.#texts.toolStates[card.status]);
        return h("li", { class: card.status }, h("bdi", {}, card.title), state);
      }),
    );
  }

  #question(card: WidgetCard): HTMLElement {
    const { title, arguments: rows = [], is_repeated } = card;
    const button = (name: string, decision: "approve" | "deny") =>
      h("button", { type: "button", onclick: () => this.#decide(card, decision) }, name);
    const texts = this.#texts;
    return h(
      "div",
      { class: "ask", role: "group", "aria-label": `${texts.toolAsks} ${title}` },
      h("p", {}, texts.toolAsks),
      h("strong", {}, h("bdi", {}, title)),
      h(
        "dl",
        {},
        ...rows.flatMap((row) => [h("dt", {}, h("bdi", {}, row.label)), h("dd", {}, h("bdi", {}, toText(row, texts)))]),
      ),
      ...(is_repeated ? [h("p", {}, texts.toolRepeated)] : []),
      h("div", {}, button(texts.allow, "approve"), button(texts.decline, "deny")),
    );
  }
}
