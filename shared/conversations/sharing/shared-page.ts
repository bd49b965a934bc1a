import type { PublicBlock, PublicMessage, SharedConversation } from "../../api/conversations/sharing.ts";
import { escapeHtml, htmlPage } from "../../lib/html-page.ts";
import { blocksToMarkdown } from "../../markdown/blocks-to-markdown.ts";
import { parseMarkdown } from "../../markdown/parse-markdown.ts";
import {
  definitionsOf,
  type MarkdownElements,
  renderFootnotes,
  renderMarkdown,
} from "../../markdown/render-markdown.ts";

const voidElements: ReadonlySet<string> = new Set(["br", "hr"]);

const renderCode = (code: string) => `<pre><code>${escapeHtml(code)}</code></pre>`;

const elements: MarkdownElements<string> = {
  element(tag, attributes, children) {
    const list = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`);
    return `<${tag}${list.join("")}>${voidElements.has(tag) ? "" : `${children.join("")}</${tag}>`}`;
  },
  text: escapeHtml,
  code: (language, code) =>
    language === "vega-lite" ? `<details><summary>Chart</summary>${renderCode(code)}</details>` : renderCode(code),
  // The page has no scripts, and MathML needs a library of 200 KB.
  formula: ({ source }) => `<code>${escapeHtml(source)}</code>`,
  table: (table) => table,
  footnoteLabel: (number) => `Footnote ${number}`,
  task: (isDone) => (isDone ? "☑ " : "☐ "),
};

/** Renders the Markdown of an answer as HTML. */
function renderAnswer(prefix: string, content: readonly PublicBlock[]): string {
  const root = parseMarkdown(blocksToMarkdown(content));
  const definitions = definitionsOf(root, prefix);
  return [
    ...renderMarkdown(root.children, elements, definitions),
    ...renderFootnotes(root, elements, definitions),
    ...content.flatMap((block) =>
      block.type === "citation" ? [`<p><small>[${block.index}] ${escapeHtml(block.title)}</small></p>`] : [],
    ),
  ].join("\n");
}

const headings = { user: "Question", assistant: "Assistant", alert: "Alert" } as const;

const renderTime = (at: string) =>
  `<time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(0, 16).replace("T", " "))} UTC</time>`;

function renderMessage({ role, content, created_at }: PublicMessage, index: number): string {
  const prefix = `footnote-${index}-`;
  // Questions and alerts are plain text.
  const parts = content.map((block) =>
    block.type === "text" ? `<p class="plain-text">${escapeHtml(block.text)}</p>` : renderAnswer(prefix, [block]),
  );
  const blocks = role === "assistant" ? renderAnswer(prefix, content) : parts.join("\n");
  return `<article class="${role}"><h2>${headings[role]} · ${renderTime(created_at)}</h2>\n${blocks}</article>`;
}

/** Renders one page of a shared conversation as an HTML document without scripts. */
export function renderSharedPage({ title, messages, shared_at, expires_at, next_cursor }: SharedConversation): string {
  const more = next_cursor ? `<p><a href="?cursor=${encodeURIComponent(next_cursor)}">Next page</a></p>` : "";
  const body = `<header><h1>${escapeHtml(title)}</h1><p>A shared conversation, as it was at ${renderTime(shared_at)}</p></header>
<main>
${messages.map(renderMessage).join("\n")}
${more}
</main>
<footer>This link expires at ${renderTime(expires_at)}.</footer>`;
  return htmlPage({ title, body, noindex: true });
}
