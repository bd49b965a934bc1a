import { type ComponentChildren, h } from "preact";
import { type FormulaNode, toFormulaTree } from "./formula-tree.ts";

const elementName = /^(?:m[a-z]+|semantics|annotation)$/;
const attributeName = /^[a-z-]+$/;
const unsafeAttribute = /^(?:href|src|id|style|on.*)$/;

function toElement({
  type,
  attributes = {},
  classes = [],
  style = {},
  children = [],
  text,
}: FormulaNode): ComponentChildren {
  if (text !== undefined) return text;
  const content = children.map(toElement);
  if (type === undefined || !elementName.test(type)) return content;
  const safe = Object.entries(attributes).filter(([name]) => attributeName.test(name) && !unsafeAttribute.test(name));
  return h(
    type,
    { ...Object.fromEntries(safe), class: classes.filter(Boolean).join(" ") || undefined, style },
    ...content,
  );
}

/**
 * Renders LaTeX as MathML elements with the source as annotation. Ignores commands that link, load resources or define
 * styles.
 * @returns null if the formula is not valid
 */
export function renderFormula(source: string, isDisplay: boolean): ComponentChildren {
  const tree = toFormulaTree(source, isDisplay);
  return tree && toElement(tree);
}
