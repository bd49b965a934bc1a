import { type ComponentChildren, h } from "preact";
import temml from "temml";

/** Node of the tree that Temml builds: a MathML element, a fragment or a text. */
interface FormulaNode {
  readonly type?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, string>>;
  readonly children?: readonly FormulaNode[];
  readonly text?: string;
}

interface Options {
  readonly displayMode: boolean;
  readonly annotate: boolean;
  readonly throwOnError: boolean;
  /** Maximum size of lines and spaces, in em. */
  readonly maxSize: readonly [number, number];
  readonly maxExpand: number;
}

/** Function that returns the tree instead of elements. The declarations of the package have another name for it. */
const { __renderToMathMLTree: buildTree } = temml as unknown as {
  __renderToMathMLTree: (source: string, options: Options) => FormulaNode;
};

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
 * Converts LaTeX to MathML elements, with the source as annotation. Commands that link, load or define styles have no effect.
 * @returns null if the formula is not valid
 */
export function renderFormula(source: string, isDisplay: boolean): ComponentChildren {
  try {
    const options: Options = {
      displayMode: isDisplay,
      annotate: true,
      throwOnError: true,
      maxSize: [30, 30],
      maxExpand: 500,
    };
    return toElement(buildTree(source, options));
  } catch {
    return null;
  }
}
