import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import type { PublicBlock, PublicMessage, SharedConversation } from "../../api/conversations/sharing.ts";
import { blocksToMarkdown } from "../../client/blocks-to-markdown.ts";
import { mathSyntax, mathToHtml } from "../../client/markdown-math.ts";
import { disableCostlyConstructs } from "../../lib/costly-markdown.ts";
import { escapeHtml, htmlPage } from "../../lib/html-page.ts";

/** Renders Markdown as HTML. By default, micromark escapes raw HTML and removes URLs with dangerous protocols. */
const renderMarkdown = (text: string) =>
  micromark(text, {
    extensions: [gfm(), mathSyntax, disableCostlyConstructs(text)],
    htmlExtensions: [gfmHtml(), mathToHtml],
  });

/** Renders the Markdown of a table cell without the paragraph element around it. */
const renderCellText = (text: string) => renderMarkdown(text).replace(/^<p>([\s\S]*)<\/p>$/, "$1");

const renderRow = (tag: "th" | "td", cells: readonly string[], renderCell: (text: string) => string) =>
  `<tr>${cells.map((text) => `<${tag}>${renderCell(text)}</${tag}>`).join("")}</tr>`;

function renderImageLink({ url, alt }: Extract<PublicBlock, { type: "image" }>): string {
  const label = escapeHtml(alt || "Picture");
  return /^https?:\/\//i.test(url)
    ? `<p><a rel="noopener noreferrer" href="${escapeHtml(url)}">${label}</a></p>`
    : `<p>${label}</p>`;
}

/** Renders a block as HTML. Only answers are parsed as Markdown; other messages are plain text. */
function renderBlock(block: PublicBlock, isMarkdown: boolean): string {
  const renderText = (text: string) =>
    isMarkdown ? renderMarkdown(text) : `<p class="plain-text">${escapeHtml(text)}</p>`;
  switch (block.type) {
    case "text":
      return renderText(block.text);
    case "code":
      return `<pre><code>${escapeHtml(block.code)}</code></pre>`;
    case "table": {
      const row = (tag: "th" | "td") => (cells: readonly string[]) =>
        renderRow(tag, cells, isMarkdown ? renderCellText : escapeHtml);
      return `<table><thead>${row("th")(block.columns)}</thead><tbody>${block.rows.map(row("td")).join("")}</tbody></table>`;
    }
    case "list": {
      if (isMarkdown) return renderMarkdown(blocksToMarkdown([block]));
      const tag = block.ordered ? "ol" : "ul";
      return `<${tag}>${block.items.map((item) => `<li>${renderText(item)}</li>`).join("")}</${tag}>`;
    }
    case "citation":
      return `<p><small>[${block.index}] ${escapeHtml(block.title)}</small></p>`;
    case "image":
      return renderImageLink(block);
    case "vega":
      return `<details><summary>Chart</summary><pre><code>${escapeHtml(JSON.stringify(block.spec, null, 2))}</code></pre></details>`;
  }
}

const headings = { user: "Question", assistant: "Assistant", alert: "Alert" } as const;

const renderTime = (at: string) =>
  `<time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(0, 16).replace("T", " "))} UTC</time>`;

function renderMessage({ role, content, created_at }: PublicMessage): string {
  const blocks = content.map((block) => renderBlock(block, role === "assistant")).join("\n");
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
