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
  readonly macros: Record<string, Macro>;
}

/** Text with its arguments as `#1`, or the number of arguments of a command that has no effect. */
type Macro = string | { readonly tokens: readonly []; readonly numArgs: number };

/** Commands that models write and Temml lacks: of siunitx and other packages, and those that only concern a printed page. */
const macros: Readonly<Record<string, Macro>> = {
  "\\SI": "\\qty{#1}{#2}",
  "\\si": "\\mathrm{#1}",
  "\\unit": "\\mathrm{#1}",
  "\\celsius": "{}^\\circ\\mathrm{C}",
  "\\ohm": "\\Omega",
  "\\micro": "\\mu",
  "\\textmu": "\\mu",
  "\\textdegree": "\\degree",
  "\\perthousand": "\\text{‰}",
  "\\textperthousand": "\\text{‰}",
  "\\mathds": "\\mathbb{#1}",
  "\\mathbbm": "\\mathbb{#1}",
  "\\Q": "\\mathbb{Q}",
  "\\C": "\\mathbb{C}",
  "\\mbox": "\\text{#1}",
  "\\textsuperscript": "{}^{\\text{#1}}",
  "\\textsubscript": "{}_{\\text{#1}}",
  "\\nicefrac": "{}^{#1}\\!/{}_{#2}",
  "\\ensuremath": "#1",
  "\\mathlarger": "{\\large #1}",
  "\\displaylines": "\\begin{gathered}#1\\end{gathered}",
  "\\qed": "\\quad\\square",
  "\\differentialD": "\\mathrm{d}",
  "\\hfill": "\\quad",
  "\\vspace": { tokens: [], numArgs: 1 },
  "\\require": { tokens: [], numArgs: 1 },
  // A definition of what is known already has no effect.
  "\\newcommand": "\\providecommand",
  "\\KaTeX": "\\text{KaTeX}",
  ...Object.fromEntries(
    ["blue", "red", "green", "orange", "gray", "purple"].map((color) => [`\\${color}`, `\\textcolor{${color}}{#1}`]),
  ),
};

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

/** @throws Error if the formula is not valid */
function convert(source: string, displayMode: boolean): ComponentChildren {
  const options: Options = {
    displayMode,
    annotate: true,
    throwOnError: true,
    maxSize: [30, 30],
    maxExpand: 500,
    // A copy, because definitions of a formula are added to it.
    macros: { ...macros },
  };
  return toElement(buildTree(source, options));
}

/**
 * Converts LaTeX to MathML elements, with the source as annotation. Commands that link, load or define styles have no effect.
 * @returns null if the formula is not valid
 */
export function renderFormula(source: string, isDisplay: boolean): ComponentChildren {
  // Models also write environments of displayed formulas, such as `align`, within a line.
  for (const displayMode of isDisplay ? [true] : [false, true]) {
    try {
      return convert(source, displayMode);
    } catch {
      // The source is shown.
    }
  }
  return null;
}
