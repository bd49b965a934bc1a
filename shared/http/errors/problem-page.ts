import { micromark } from "micromark";
import { type ProblemCode, problemCodes } from "../../api/problem-codes.ts";
import { escapeHtml, htmlPage } from "../../lib/html-page.ts";

/** Converts a path segment with hyphens to a problem code with underscores; null if there is no such code. */
export function parseProblemCode(pathSegment: string): ProblemCode | null {
  const code = pathSegment.replaceAll("-", "_");
  return Object.hasOwn(problemCodes, code) ? (code as ProblemCode) : null;
}

export function problemPage(code: ProblemCode): string {
  const { status, title, help } = problemCodes[code];
  const body = `<header><h1>${escapeHtml(title)}</h1></header>
<main>
${micromark(help)}
<p><code>${code}</code>, HTTP status ${status}</p>
<p><a href="/docs/problems">All errors</a> · <a href="/docs">API reference</a></p>
</main>`;
  return htmlPage({ title, body });
}
