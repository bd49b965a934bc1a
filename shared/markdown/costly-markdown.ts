/**
 * Number of occurrences in a text above which a construct is disabled; brackets and emphasis marks are counted per block
 * between blank lines. Legitimate texts stay far below these limits.
 */
const MAX_UNDERLINES = 100;
const MAX_FOOTNOTES = 200;
const MAX_BLOCK_QUOTES = 1_000;
const MAX_INDENTED_ITEMS = 1_000;
const MAX_BRACKETS = 1_000;
const MAX_EMPHASIS_MARKS = 2_000;

const underline = /[=-][ \t]*$/gm;
const footnote = /\[\^/g;
const blockQuote = /^[ \t]*>/gm;
const indentedItem = /^[ \t]+(?:[*+-]|\d{1,9}[.)])[ \t]/gm;
const bracket = /[[\]]/g;
const emphasisMark = /[*_~]/g;

/** Nested block quotes and lists, 20 levels deep. A line of only hyphens does not match. */
const deepNesting = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))){20}/m;

/** Delimiter row of a table with 100 columns: micromark pads every row to that width. */
const wideTable = /(?:\|[ \t]*:?-+:?[ \t]*){100}/;

const blankLine = /\n[ \t]*\n/;

const footnotes = ["gfmFootnoteCall", "gfmFootnoteDefinition", "gfmPotentialFootnoteCall"];
const links = ["labelStartLink", "labelStartImage", "labelEnd", ...footnotes];

const exceeds = (limit: number, mark: RegExp) => (text: string) => (text.match(mark)?.length ?? 0) > limit;

/**
 * Returns a micromark extension that disables the constructs whose parsing cost is superlinear for this text. A single
 * message could otherwise take minutes or overflow the stack.
 */
export function disableCostlyConstructs(markdown: string): { disable: { null: string[] } } {
  const blocks = markdown.split(blankLine);
  const isDeeplyNested = deepNesting.test(markdown);
  const costlyConstructs: readonly (readonly [boolean, readonly string[]])[] = [
    [exceeds(MAX_UNDERLINES, underline)(markdown), ["setextUnderline"]],
    [exceeds(MAX_FOOTNOTES, footnote)(markdown), footnotes],
    [isDeeplyNested || exceeds(MAX_BLOCK_QUOTES, blockQuote)(markdown), ["blockQuote"]],
    [isDeeplyNested || exceeds(MAX_INDENTED_ITEMS, indentedItem)(markdown), ["list"]],
    [blocks.some(exceeds(MAX_BRACKETS, bracket)), links],
    [blocks.some(exceeds(MAX_EMPHASIS_MARKS, emphasisMark)), ["attention", "strikethrough"]],
    [wideTable.test(markdown), ["table"]],
  ];
  return { disable: { null: costlyConstructs.flatMap(([isCostly, constructs]) => (isCostly ? constructs : [])) } };
}
