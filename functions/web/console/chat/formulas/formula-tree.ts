import temml from "temml";

/** Node of the tree that Temml creates: a MathML element, a fragment or a text. */
export interface FormulaNode {
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
  /** Maximum width and height of lines and spaces, in em, so that a formula cannot cover the page. */
  readonly maxSize: readonly [number, number];
  readonly maxExpand: number;
  readonly macros: Record<string, Macro>;
}

/**
 * Replacement text of a command, in which `#1` is its first argument; or the number of arguments of a command that is
 * ignored.
 */
type Macro = string | { readonly tokens: readonly []; readonly numArgs: number };

/**
 * LaTeX commands that models write and Temml does not have: those of siunitx and other packages, and those that only affect
 * printed pages, which are ignored.
 */
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

/** Temml's function that returns a tree instead of DOM elements. The type declarations of the package name it differently. */
const { __renderToMathMLTree: buildTree } = temml as unknown as {
  __renderToMathMLTree: (source: string, options: Options) => FormulaNode;
};

/**
 * Converts LaTeX to a MathML tree.
 * @throws Error if the formula is not valid
 */
function convert(source: string, displayMode: boolean): FormulaNode {
  const options: Options = {
    displayMode,
    annotate: true,
    throwOnError: true,
    maxSize: [30, 30],
    maxExpand: 500,
    // A copy, because definitions of a formula are added to it.
    macros: { ...macros },
  };
  return buildTree(source, options);
}

/**
 * Converts LaTeX to a MathML tree with the source as annotation. Tries a formula within a line also as a displayed one.
 * @returns null if the formula is not valid
 */
export function toFormulaTree(source: string, isDisplay: boolean): FormulaNode | null {
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
