import { expect, it } from "vitest";
import { type FormulaNode, toFormulaTree } from "../../../functions/web/console/chat/formulas/formula-tree.ts";

/** Returns the text of a formula without its source. */
const textOf = ({ type, text, children = [] }: FormulaNode): string =>
  type === "annotation" ? "" : (text ?? children.map(textOf).join(""));

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
  const tree = toFormulaTree(source, true);
  expect(tree && textOf(tree)).toContain(text);
});

it("formula environment for display, such as align, is also rendered in an inline formula", () => {
  expect(toFormulaTree("\\begin{align} a &= b \\end{align}", false)).not.toBeNull();
});

it("formula that defines a command does not change the next formula", () => {
  expect(toFormulaTree("\\gdef\\secret{a} \\secret", false)).not.toBeNull();
  expect(toFormulaTree("\\secret", false)).toBeNull();
});

it.each([
  "\\href{https://example.com}{a}",
  "\\includegraphics{https://example.com/a.png}",
  "\\unknown{a}",
  "\\frac{a}",
])("formula with a link, an image or an unknown or incomplete command is not rendered: %s", (source) =>
  expect(toFormulaTree(source, false)).toBeNull(),
);
