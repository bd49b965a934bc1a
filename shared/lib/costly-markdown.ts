/** How many of these a text may have, or a part of it between blank lines: nobody means more. */
const mostUnderlines = 100;
const mostFootnotes = 200;
const mostQuotations = 1_000;
const mostIndentedItems = 1_000;
const mostBrackets = 1_000;
const mostStars = 2_000;

const underline = /[=-][ \t]*$/gm;
const footnote = /\[\^/g;
const quotation = /^[ \t]*>/gm;
const indentedItem = /^[ \t]+(?:[*+-]|\d{1,9}[.)])[ \t]/gm;
const bracket = /[[\]]/g;
const star = /[*_~]/g;

/** Quotations and lists in one another. A line of hyphens alone is none. */
const deepNesting = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))){20}/m;

/** Each row of a table is filled up to as many cells as this has. */
const wideTable = /(?:\|[ \t]*:?-+:?[ \t]*){100}/;

const blankLine = /\n[ \t]*\n/;

const footnotes = ["gfmFootnoteCall", "gfmFootnoteDefinition", "gfmPotentialFootnoteCall"];
const links = ["labelStartLink", "labelStartImage", "labelEnd", ...footnotes];

const hasMore = (most: number, mark: RegExp) => (text: string) => (text.match(mark)?.length ?? 0) > most;

/**
 * An extension of micromark's for one text: what costs more than its length there, up to minutes and the whole stack for
 * a single message, is taken for text.
 */
export function disableCostlyConstructs(markdown: string): { disable: { null: string[] } } {
  const parts = markdown.split(blankLine);
  const isDeep = deepNesting.test(markdown);
  const dear: readonly (readonly [boolean, readonly string[]])[] = [
    [hasMore(mostUnderlines, underline)(markdown), ["setextUnderline"]],
    [hasMore(mostFootnotes, footnote)(markdown), footnotes],
    [isDeep || hasMore(mostQuotations, quotation)(markdown), ["blockQuote"]],
    [isDeep || hasMore(mostIndentedItems, indentedItem)(markdown), ["list"]],
    [parts.some(hasMore(mostBrackets, bracket)), links],
    [parts.some(hasMore(mostStars, star)), ["attention", "strikethrough"]],
    [wideTable.test(markdown), ["table"]],
  ];
  return { disable: { null: dear.flatMap(([isDear, constructs]) => (isDear ? constructs : [])) } };
}
