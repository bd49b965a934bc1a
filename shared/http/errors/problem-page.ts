import { micromark } from "micromark";
import { type ProblemCode, problemCodes } from "../../api/problem-codes.ts";
import { escaped, htmlPage } from "../../lib/html-page.ts";

/** The code in the address of a problem's page: hyphens there, underscores in bodies; null for one that does not exist. */
export function parseProblemCode(pathName: string): ProblemCode | null {
  const code = pathName.replaceAll("-", "_");
  return Object.hasOwn(problemCodes, code) ? (code as ProblemCode) : null;
}

/** A problem as a page for developers. */
export function problemPage(code: ProblemCode): string {
  const { status, title, help } = problemCodes[code];
  const body = `<header><h1>${escaped(title)}</h1></header>
<main>
${micromark(help)}
<p><code>${code}</code>, HTTP status ${status}</p>
<p><a href="/docs">The interface</a></p>
</main>`;
  return htmlPage({ title, body });
}
