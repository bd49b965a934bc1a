import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { problemPath } from "../../shared/api/platform/docs.ts";
import { type ProblemCode, problemCodes } from "../../shared/api/problem-codes.ts";
import { escapeHtml } from "../../shared/lib/html-page.ts";

/** Page of the documentation. */
export interface DocsPage {
  /** Path of its URL. */
  readonly path: string;
  readonly html: string;
}

interface Guide {
  readonly slug: string;
  readonly title: string;
  readonly markdown: string;
}

/** Order of the guides in the navigation; guides that are not listed follow in alphabetical order. */
const guideOrder = [
  "first-chat",
  "back-end",
  "streaming",
  "attachments",
  "openai",
  "openai-clients",
  "anthropic-clients",
  "widget",
  "webhooks",
  "knowledge",
  "governance",
  "tenants",
  "people",
  "identity-providers",
  "scim",
  "budgets",
  "deployment",
  "operations",
  "costs",
  "runbooks",
];

function readGuides(root: string): Guide[] {
  const rank = (slug: string) => (guideOrder.includes(slug) ? guideOrder.indexOf(slug) : guideOrder.length);
  return ["docs/guides", "docs"]
    .map((folder) => join(root, folder))
    .filter(existsSync)
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith(".md"))
        .map((file) => {
          const markdown = readFileSync(join(folder, file), "utf8");
          return { slug: file.replace(/\.md$/, ""), title: /^# (.+)$/m.exec(markdown)?.[1] ?? file, markdown };
        }),
    )
    .sort((a, b) => rank(a.slug) - rank(b.slug) || a.slug.localeCompare(b.slug));
}

const topLinks = [
  ["/docs", "API reference"],
  ["/docs/guides", "Guides"],
  ["/docs/problems", "Errors"],
  ["/", "Console"],
] as const;

function page(options: {
  path: string;
  title: string;
  style: string;
  head?: string;
  className?: string;
  /** Contents of the header in addition to the navigation. */
  header?: string;
  body: string;
}) {
  const { path, title, style, head = "", className = "", header = "", body } = options;
  const links = topLinks.map(([target, text]) => {
    const isCurrent = target === path || (target !== "/docs" && target !== "/" && path.startsWith(`${target}/`));
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
<body class="${className}">
<header class="top"><a class="brand" href="/docs"><img src="/favicon.svg" alt="" width="28" height="28">Switchboard</a>${links.join("")}${header}</header>
${body}
</body>
</html>
`;
}

/** Adds ids to headings, so that they can be linked to, and makes wide code and tables focusable for scrolling by keyboard. */
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

const renderMarkdown = (markdown: string) =>
  withAnchors(micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }));

/** Rewrites links between Markdown files to the addresses of their pages. */
const linkPages = (html: string) =>
  html.replace(/href="(?:\.\.?\/)*(?:guides\/)?([\w-]+)\.md(#[\w-]*)?"/g, 'href="/docs/guides/$1$2"');

function sideNavigation(guides: readonly Guide[], current: string): string {
  const item = (path: string, title: string) =>
    `<li><a href="${path}"${path === current ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a></li>`;
  return `<div class="side"><nav aria-label="Guides"><h2>Guides</h2><ul>${guides
    .map(({ slug, title }) => item(`/docs/guides/${slug}`, title))
    .join("")}</ul></nav></div>`;
}

function firstSentence(markdown: string): string {
  const paragraph = markdown.split("\n\n").find((part) => !part.startsWith("#")) ?? "";
  return (
    paragraph
      .replace(/\n/g, " ")
      .replace(/[`*[\]]/g, "")
      .split(/(?<=\.) /)[0] ?? ""
  );
}

/** URLs of the style sheet and of the program of the API reference. */
export interface DocsAssets {
  readonly style: string;
  readonly script: string;
}

/** Renders all pages of the documentation: API reference, guides and problems. */
export function renderDocs(root: string, { style, script }: DocsAssets): DocsPage[] {
  const guides = readGuides(root);
  const withNavigation = (path: string, title: string, html: string) =>
    page({
      path,
      title,
      style,
      body: `<div class="layout">${sideNavigation(guides, path)}<main>${html}</main></div>`,
    });
  const guidePages = guides.map(({ slug, title, markdown }, index) => {
    const neighbors = [guides[index - 1], guides[index + 1]].map((guide) =>
      guide ? `<a href="/docs/guides/${guide.slug}">${escapeHtml(guide.title)}</a>` : "<span></span>",
    );
    const html = `${linkPages(renderMarkdown(markdown))}<div class="next">${neighbors.join("")}</div>`;
    return { path: `/docs/guides/${slug}`, html: withNavigation(`/docs/guides/${slug}`, title, html) };
  });
  const cards = guides.map(
    ({ slug, title, markdown }) =>
      `<li><a href="/docs/guides/${slug}">${escapeHtml(title)}<small>${escapeHtml(firstSentence(markdown))}</small></a></li>`,
  );
  const problems = (Object.keys(problemCodes) as ProblemCode[]).map((code) => {
    const { status, title, help } = problemCodes[code];
    return `<tr><td>${status}</td><td><a href="${problemPath(code)}"><code>${code}</code></a></td><td><strong>${escapeHtml(title)}</strong>. ${micromark(help).replace(/^<p>|<\/p>$/g, "")}</td></tr>`;
  });
  const reference = `<rapi-doc render-style="focused" show-header="false" allow-spec-file-download="false" allow-spec-url-load="false" allow-spec-file-load="false" allow-advanced-search="false" show-info="false" allow-authentication="true" allow-try="true" allow-server-selection="false" show-method-in-nav-bar="as-plain-text" use-path-in-nav-bar="false" nav-item-spacing="compact" schema-style="table" default-schema-tab="schema" regular-font="Inter, system-ui, sans-serif" mono-font="ui-monospace, Menlo, monospace" load-fonts="false" persist-auth="false" sort-tags="false" show-components="false"></rapi-doc>`;
  return [
    {
      path: "/docs",
      html: page({
        path: "/docs",
        title: "API reference",
        style,
        className: "reference",
        head: `<script type="module" src="${script}"></script>\n`,
        header: '<h1 class="visually-hidden">API reference</h1>',
        body: reference,
      }),
    },
    {
      path: "/docs/guides",
      html: withNavigation("/docs/guides", "Guides", `<h1>Guides</h1><ul class="cards">${cards.join("")}</ul>`),
    },
    {
      path: "/docs/problems",
      html: withNavigation(
        "/docs/problems",
        "Errors",
        `<h1>Errors</h1><p>Every error response is an RFC 9457 problem. Its <code>code</code> is one of these; its <code>type</code> is the address of the page about it.</p><table><thead><tr><th>Status</th><th>Code</th><th>Meaning and remedy</th></tr></thead><tbody>${problems.join("")}</tbody></table>`,
      ),
    },
    ...guidePages,
  ];
}
