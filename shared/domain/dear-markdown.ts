/** Underlined headings in a text, and marks of quotations and lists in a row, beyond which nobody meant them. */
const mostUnderlines = 100;
const underline = /[=-][ \t]*$/gm;
const deepNesting = /^(?:[ \t]*[>*+-]){50}/m;

/**
 * An extension of micromark's for one text: what costs more than its length there, up to minutes and the whole stack for
 * a single message, is taken for text.
 */
export function withoutDearMarkdown(markdown: string): { disable: { null: string[] } } {
  const hasMany = (markdown.match(underline)?.length ?? 0) > mostUnderlines;
  return {
    disable: { null: [...(hasMany ? ["setextUnderline"] : []), ...(deepNesting.test(markdown) ? ["blockQuote"] : [])] },
  };
}
