import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import type { PublicBlock, PublicMessage, SharedConversation } from "../../api/conversations/sharing.ts";
import { disableCostlyConstructs } from "../../lib/costly-markdown.ts";
import { escapeHtml, htmlPage } from "../../lib/html-page.ts";

/** Markdown as HTML. micromark shows HTML in it as text, and drops addresses that are not harmless. */
const markdown = (text: string) =>
  micromark(text, { extensions: [gfm(), disableCostlyConstructs(text)], htmlExtensions: [gfmHtml()] });

const cells = (tag: "th" | "td", texts: readonly string[]) =>
  `<tr>${texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join("")}</tr>`;

function imageLink({ url, alt }: Extract<PublicBlock, { type: "image" }>): string {
  const label = escapeHtml(alt || "Picture");
  return /^https?:\/\//i.test(url)
    ? `<p><a rel="noopener noreferrer" href="${escapeHtml(url)}">${label}</a></p>`
    : `<p>${label}</p>`;
}

/** A block as HTML: everything in it is text, only an answer's Markdown means something. */
function blockHtml(block: PublicBlock, rich: boolean): string {
  const text = (given: string) => (rich ? markdown(given) : `<p class="said">${escapeHtml(given)}</p>`);
  switch (block.type) {
    case "text":
      return text(block.text);
    case "code":
      return `<pre><code>${escapeHtml(block.code)}</code></pre>`;
    case "table":
      return `<table><thead>${cells("th", block.columns)}</thead><tbody>${block.rows.map((row) => cells("td", row)).join("")}</tbody></table>`;
    case "list": {
      const tag = block.ordered ? "ol" : "ul";
      return `<${tag}>${block.items.map((item) => `<li>${text(item)}</li>`).join("")}</${tag}>`;
    }
    case "citation":
      return `<p><small>[${block.index}] ${escapeHtml(block.title)}</small></p>`;
    case "image":
      return imageLink(block);
    case "vega":
      return `<details><summary>Chart</summary><pre><code>${escapeHtml(JSON.stringify(block.spec, null, 2))}</code></pre></details>`;
  }
}

const speakers = { user: "Question", assistant: "Assistant", alert: "Alert" } as const;

const time = (at: string) => `<time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(0, 16).replace("T", " "))} UTC</time>`;

function messageHtml({ role, content, created_at }: PublicMessage): string {
  const blocks = content.map((block) => blockHtml(block, role === "assistant")).join("\n");
  return `<article class="${role}"><h2>${speakers[role]} · ${time(created_at)}</h2>\n${blocks}</article>`;
}

/** A shared conversation as a page for people. */
export function sharedPage({ title, messages, shared_at, expires_at, next_cursor }: SharedConversation): string {
  const more = next_cursor ? `<p><a href="?cursor=${encodeURIComponent(next_cursor)}">Go on reading</a></p>` : "";
  const body = `<header><h1>${escapeHtml(title)}</h1><p>A shared conversation, as it was at ${time(shared_at)}</p></header>
<main>
${messages.map(messageHtml).join("\n")}
${more}
</main>
<footer>This link works until ${time(expires_at)}.</footer>`;
  return htmlPage({ title, body, noindex: true });
}
