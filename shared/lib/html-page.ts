import { createHash } from "node:crypto";

const style = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }
header { border-bottom: 1px solid #8886; margin-bottom: 1.5rem; }
header p, article h2, footer { color: #767676; font-size: .85rem; }
article { margin-bottom: 1.5rem; }
article h2 { margin: 0 0 .25rem; font-weight: 600; }
article.user { border-left: 3px solid #3b82f6; padding-left: 1rem; }
article.alert { border-left: 3px solid #dc2626; padding-left: 1rem; }
.plain-text { white-space: pre-wrap; }
pre { overflow-x: auto; padding: .75rem; border-radius: .4rem; background: #8882; }
code { font-size: .9em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #8886; padding: .3rem .6rem; text-align: left; vertical-align: top; }
nav ul { columns: 12rem; padding-left: 1.2rem; }
summary { cursor: pointer; }
details { border: 1px solid #8886; border-radius: .4rem; padding: .4rem .8rem; margin: .5rem 0; }
.method { display: inline-block; min-width: 4.2rem; font-weight: 600; }
`;

const styleHash = createHash("sha256").update(style).digest("base64");

/** Content security policy of HTML pages: allows the inline style and nothing else. */
export const pageSecurityPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

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
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
