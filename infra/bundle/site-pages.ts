import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { micromark } from "micromark";
import { problemPath } from "../../shared/api/platform/docs.ts";
import { type ProblemCode, problemCodes } from "../../shared/api/problem-codes.ts";
import { escapeHtml } from "../../shared/lib/html-page.ts";
import { type DocsAssets, type DocsPage, page, sideNavigation, toPageHtml } from "./docs-page.ts";
import { renderReference } from "./reference-pages.ts";

interface Guide {
  readonly slug: string;
  readonly title: string;
  readonly markdown: string;
}

/** Guides in the order of the navigation. Guides that are not listed follow in alphabetical order. */
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
  "cells",
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

/** Replaces links to Markdown files by the URLs of the pages that are rendered from them. */
const linkPages = (html: string) =>
  html.replace(/href="(?:\.\.?\/)*(?:guides\/)?([\w-]+)\.md(#[\w-]*)?"/g, 'href="/docs/guides/$1$2"');

function firstSentence(markdown: string): string {
  const paragraph = markdown.split("\n\n").find((part) => !part.startsWith("#")) ?? "";
  return (
    paragraph
      .replace(/\n/g, " ")
      .replace(/[`*[\]]/g, "")
      .split(/(?<=\.) /)[0] ?? ""
  );
}

/** Renders all pages of the documentation: API reference, guides and problems. */
export function renderDocs(root: string, { style, script }: DocsAssets): DocsPage[] {
  const guides = readGuides(root);
  const navigation = guides.map(({ slug, title }) => ({ path: `/docs/guides/${slug}`, title }));
  const withNavigation = (path: string, title: string, html: string) =>
    page({
      path,
      title,
      style,
      body: `<div class="layout">${sideNavigation("Guides", navigation, path)}<main>${html}</main></div>`,
    });
  const guidePages = guides.map(({ slug, title, markdown }, index) => {
    const neighbors = [guides[index - 1], guides[index + 1]].map((guide) =>
      guide ? `<a href="/docs/guides/${guide.slug}">${escapeHtml(guide.title)}</a>` : "<span></span>",
    );
    const html = `${linkPages(toPageHtml(markdown))}<div class="next">${neighbors.join("")}</div>`;
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
  return [
    ...renderReference(root, { style, script }),
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
