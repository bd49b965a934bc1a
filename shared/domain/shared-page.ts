import { createHash } from "node:crypto";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import type { PublicBlock, PublicMessage, SharedConversation } from "../api/sharing.ts";

const style = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }
header { border-bottom: 1px solid #8886; margin-bottom: 1.5rem; }
header p, article h2, footer { color: #767676; font-size: .85rem; }
article { margin-bottom: 1.5rem; }
article h2 { margin: 0 0 .25rem; font-weight: 600; }
article.user { border-left: 3px solid #3b82f6; padding-left: 1rem; }
article.alert { border-left: 3px solid #dc2626; padding-left: 1rem; }
.said { white-space: pre-wrap; }
pre { overflow-x: auto; padding: .75rem; border-radius: .4rem; background: #8882; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #8886; padding: .3rem .6rem; text-align: left; }
`;

const styleHash = createHash("sha256").update(style).digest("base64");

/** What a browser may do with the page: apply its style. No script, no picture, no other address. */
export const sharedPagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? "");

/** Markdown as HTML. micromark shows HTML in it as text, and drops addresses that are not harmless. */
const markdown = (text: string) => micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });

const cells = (tag: "th" | "td", texts: readonly string[]) =>
  `<tr>${texts.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join("")}</tr>`;

function imageLink({ url, alt }: Extract<PublicBlock, { type: "image" }>): string {
  const label = escaped(alt || "Picture");
  return /^https?:\/\//i.test(url)
    ? `<p><a rel="noopener noreferrer" href="${escaped(url)}">${label}</a></p>`
    : `<p>${label}</p>`;
}

/** A block as HTML: everything in it is text, only an answer's Markdown means something. */
function blockHtml(block: PublicBlock, rich: boolean): string {
  const text = (given: string) => (rich ? markdown(given) : `<p class="said">${escaped(given)}</p>`);
  switch (block.type) {
    case "text":
      return text(block.text);
    case "code":
      return `<pre><code>${escaped(block.code)}</code></pre>`;
    case "table":
      return `<table><thead>${cells("th", block.columns)}</thead><tbody>${block.rows.map((row) => cells("td", row)).join("")}</tbody></table>`;
    case "list": {
      const tag = block.ordered ? "ol" : "ul";
      return `<${tag}>${block.items.map((item) => `<li>${text(item)}</li>`).join("")}</${tag}>`;
    }
    case "citation":
      return `<p><small>[${block.index}] ${escaped(block.title)}</small></p>`;
    case "image":
      return imageLink(block);
    case "vega":
      return `<details><summary>Chart</summary><pre><code>${escaped(JSON.stringify(block.spec, null, 2))}</code></pre></details>`;
  }
}

const speakers = { user: "Question", assistant: "Assistant", alert: "Alert" } as const;

const time = (at: string) => `<time datetime="${escaped(at)}">${escaped(at.slice(0, 16).replace("T", " "))} UTC</time>`;

function messageHtml({ role, content, created_at }: PublicMessage): string {
  const blocks = content.map((block) => blockHtml(block, role === "assistant")).join("\n");
  return `<article class="${role}"><h2>${speakers[role]} · ${time(created_at)}</h2>\n${blocks}</article>`;
}

/** A shared conversation as a page for people. */
export function sharedPage({ title, messages, shared_at, expires_at, next_cursor }: SharedConversation): string {
  const more = next_cursor ? `<p><a href="?cursor=${encodeURIComponent(next_cursor)}">Go on reading</a></p>` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${escaped(title)}</h1><p>A shared conversation, as it was at ${time(shared_at)}</p></header>
<main>
${messages.map(messageHtml).join("\n")}
${more}
</main>
<footer>This link works until ${time(expires_at)}.</footer>
</body>
</html>
`;
}
