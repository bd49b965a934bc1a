import { renderToString } from "preact-render-to-string";
import { expect, it } from "vitest";
import { renderFormula } from "../../../functions/web/console/lib/formulas.ts";

const toHtml = (source: string) => renderToString(renderFormula(source, true) as Parameters<typeof renderToString>[0]);

it.each([
  ["\\SI{20}{\\celsius}", "C"],
  ["5\\,\\si{kg}", "kg"],
  ["\\unit{m}", "m"],
  ["\\mathds{1}_{A}", "𝟙"],
  ["x \\in \\mbox{set}", "set"],
  ["10\\textsuperscript{th}", "th"],
  ["\\nicefrac{1}{2}", "1"],
  ["\\displaylines{a \\\\ b}", "b"],
  ["\\require{cancel} \\cancel{a}", "a"],
  ["\\vspace{1em} a", "a"],
  ["\\newcommand{\\R}{\\mathbb{R}} x \\in \\R", "ℝ"],
  ["\\newcommand{\\foo}[1]{(#1)} \\foo{y}", "y"],
  ["\\red{a} + \\blue{b}", "b"],
  ["\\ce{2H2 + O2 -> 2H2O}", "O"],
])("formula %s is rendered", (source, text) => {
  expect(renderFormula(source, true)).not.toBeNull();
  expect(toHtml(source)).toContain(text);
});

it("an environment of displayed formulas is rendered within a line", () => {
  expect(renderFormula("\\begin{align} a &= b \\end{align}", false)).not.toBeNull();
});

it("a formula that defines a command does not change the next one", () => {
  expect(renderFormula("\\gdef\\secret{a} \\secret", false)).not.toBeNull();
  expect(renderFormula("\\secret", false)).toBeNull();
});

it.each([
  "\\href{https://example.com}{a}",
  "\\includegraphics{https://example.com/a.png}",
  "\\unknown{a}",
  "\\frac{a}",
])("formula %s stays as its source", (source) => expect(renderFormula(source, false)).toBeNull());
