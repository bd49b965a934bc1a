import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { escapeHtml } from "../../shared/lib/html-page.ts";

export interface DocsPage {
  /** URL path of the page. */
  readonly path: string;
  readonly html: string;
}

/** URLs of the files that pages of the documentation load: the style sheet, and the script of the API reference. */
export interface DocsAssets {
  readonly style: string;
  readonly script: string;
}

const topLinks = [
  ["/docs", "API reference"],
  ["/docs/guides", "Guides"],
  ["/docs/problems", "Errors"],
  ["/", "Console"],
] as const;

/** Returns a page of the documentation as HTML. */
export function page(options: { path: string; title: string; style: string; head?: string; body: string }) {
  const { path, title, style, head = "", body } = options;
  const links = topLinks.map(([target, text]) => {
    const isReference = target === "/docs" && path.startsWith("/docs/reference/");
    const isBelow = target !== "/docs" && target !== "/" && path.startsWith(`${target}/`);
    const isCurrent = target === path || isReference || isBelow;
    return `<a href="${target}"${isCurrent ? ' aria-current="page"' : ""}>${text}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Documentation of Switchboard: ${escapeHtml(title)}">
<title>${escapeHtml(title)} · Switchboard documentation</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
${head}</head>
<body>
<header class="top"><a class="brand" href="/docs"><img src="/favicon.svg" alt="" width="28" height="28">Switchboard</a>${links.join("")}</header>
${body}
</body>
</html>
`;
}

/**
 * Adds ids to headings, so that links can point to them, and makes wide code and tables focusable, so that the keyboard can
 * scroll them.
 */
function withAnchors(html: string): string {
  return html
    .replace(/<h([23])>(.*?)<\/h\1>/g, (_, level: string, text: string) => {
      const id = text
        .replace(/<[^>]+>/g, "")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, "-")
        .replace(/^-|-$/g, "");
      return `<h${level} id="${id}">${text}</h${level}>`;
    })
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll("<table>", '<table tabindex="0">');
}

const markdownOptions = { extensions: [gfm()], htmlExtensions: [gfmHtml()] };

export const toPageHtml = (markdown: string) => withAnchors(micromark(markdown, markdownOptions));

export function sideNavigation(
  label: string,
  entries: readonly { readonly path: string; readonly title: string }[],
  current: string,
): string {
  const items = entries.map(
    ({ path, title }) =>
      `<li><a href="${path}"${path === current ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a></li>`,
  );
  return `<div class="side"><nav aria-label="${label}"><h2>${label}</h2><ul>${items.join("")}</ul></nav></div>`;
}
