import { createHash } from "node:crypto";

/**
 * Style sheet of the HTML pages that functions render. Its values are those of the design tokens in
 * `functions/web/design/tokens.css`.
 */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --surface: light-dark(#ffffff, #181a20);
  --raised: light-dark(#f1f1f5, #22242d);
  --text: light-dark(#1a1b21, #ececf1);
  --muted: light-dark(#5c5f6e, #a5a9b8);
  --border: light-dark(#e2e3ea, #2c2f3a);
  --accent: light-dark(#4348cf, #a6a9ff);
  --accent-soft: light-dark(#ededfd, #26284a);
  --warning-soft: light-dark(#fdf1da, #3a2d12);
  --radius: 9px;
  --radius-lg: 14px;
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
body { max-width: 48rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; color: var(--text); background: var(--surface); overflow-wrap: break-word; }
a { color: var(--accent); text-underline-offset: 3px; }
h1 { margin: 0 0 .5rem; font-size: 1.75rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
header { padding-bottom: 1rem; margin-bottom: 1.75rem; border-bottom: 1px solid var(--border); }
header p, article h2, footer { margin: 0; font-size: .8125rem; font-weight: 500; color: var(--muted); }
article { margin-bottom: 1.75rem; }
article.user, article.alert { padding: .75rem 1.1rem; border-radius: var(--radius-lg); background: var(--accent-soft); }
article.alert { background: var(--warning-soft); }
article > :last-child { margin-bottom: 0; }
.plain-text { margin: .25rem 0 0; white-space: pre-wrap; }
blockquote { margin: 1rem 0; padding: 0 1rem; color: var(--muted); border-left: 3px solid var(--border); }
pre { overflow-x: auto; padding: .8rem 1rem; border: 1px solid var(--border); border-radius: var(--radius); background: var(--raised); }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
:not(pre) > code { padding: 1px 5px; border-radius: 5px; background: var(--raised); }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .45rem .9rem .45rem 0; border-bottom: 1px solid var(--border); text-align: left; vertical-align: top; }
summary { cursor: pointer; }
footer { padding-top: 1rem; border-top: 1px solid var(--border); }
`;

const styleHash = createHash("sha256").update(pageStyle).digest("base64");

/** Content security policy of HTML pages: allows the inline style, the icon and nothing else. */
export const pageSecurityPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for use in HTML content and attributes. */
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? "");

/**
 * Renders an HTML page.
 * @param body HTML; untrusted parts must be escaped with `escapeHtml`
 */
export function htmlPage({ title, body, noindex = false }: { title: string; body: string; noindex?: boolean }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${noindex ? '<meta name="robots" content="noindex">\n' : ""}<title>${escapeHtml(title)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${pageStyle}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
