/** A block of Markdown; `source` is its original text. */
export type MarkdownBlock = { readonly source: string } & (
  | { readonly type: "paragraph"; readonly text: string }
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  | { readonly type: "code"; readonly language: string; readonly code: string }
  | { readonly type: "quote"; readonly blocks: readonly MarkdownBlock[] }
  | { readonly type: "list"; readonly start: number | null; readonly items: readonly (readonly MarkdownBlock[])[] }
  | { readonly type: "table"; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly type: "rule" }
);

// These expressions must not backtrack: lines can be long, and the whole text is parsed again with each chunk of a reply.
const fence = /^ {0,3}(`{3,}|~{3,}(?!~))([^`]*)$/;
const languageName = /^[\w+#.-]*/;
const heading = /^ {0,3}(#{1,6})\s(.*)$/s;
const rule = /^ {0,3}(?:-[ \t]*-[ \t]*-[- \t]*|\*[ \t]*\*[ \t]*\*[* \t]*|_[ \t]*_[ \t]*_[_ \t]*)$/;
const quote = /^ {0,3}> ?/;
const marker = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:[ \t]+|$)/;
const delimiterRow = /^\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?$/;

/** Maximum nesting depth of quotes and lists, so that malformed model output cannot block the page. */
const maxDepth = 6;

const beginsBlock = (line: string) =>
  fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line) || marker.test(line);

/** Removes the optional closing `#` characters of a heading. */
function stripClosingHashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "#") end--;
  return (end === 0 || text[end - 1] === " " ? text.slice(0, end) : text).trim();
}

const splitCells = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/**
 * Parses the block types of Markdown that a chat needs. Unfinished blocks, such as code without a closing fence, are parsed
 * as what they will most likely become.
 */
export function parseMarkdown(text: string, depth = 0): MarkdownBlock[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: MarkdownBlock[] = [];
  let lineIndex = 0;
  /** Consumes the current line and the lines that continue its block. */
  const takeWhile = (continues: (line: string, index: number) => boolean): string[] => {
    const from = lineIndex++;
    while (lineIndex < lines.length && continues(lines[lineIndex] ?? "", lineIndex)) lineIndex++;
    return lines.slice(from, lineIndex);
  };
  while (lineIndex < lines.length) {
    const line = lines[lineIndex] ?? "";
    const from = lineIndex;
    const block = line.trim() ? nextBlock(line, lines[lineIndex + 1] ?? "", takeWhile, depth) : void lineIndex++;
    if (block) blocks.push({ ...block, source: lines.slice(from, lineIndex).join("\n") } as MarkdownBlock);
  }
  return blocks;
}

type TakeLines = (continues: (line: string, index: number) => boolean) => string[];
type BlockWithoutSource = MarkdownBlock extends infer Each
  ? Each extends MarkdownBlock
    ? Omit<Each, "source">
    : never
  : never;

function nextBlock(line: string, following: string, takeWhile: TakeLines, depth: number): BlockWithoutSource {
  const openingFence = fence.exec(line);
  if (openingFence) return codeBlock(openingFence, takeWhile);
  const headingMatch = heading.exec(line);
  if (headingMatch) {
    takeWhile(() => false);
    return { type: "heading", level: headingMatch[1]?.length ?? 1, text: stripClosingHashes(headingMatch[2] ?? "") };
  }
  if (rule.test(line)) {
    takeWhile(() => false);
    return { type: "rule" };
  }
  if (depth < maxDepth && quote.test(line)) {
    const quoted = takeWhile((next) => next.trim() !== "" && (quote.test(next) || !beginsBlock(next)));
    return {
      type: "quote",
      blocks: parseMarkdown(quoted.map((each) => each.replace(quote, "")).join("\n"), depth + 1),
    };
  }
  if (depth < maxDepth && marker.test(line)) return listBlock(line, takeWhile, depth);
  if (line.includes("|") && following.includes("-") && delimiterRow.test(following.trim())) {
    const [columns = "", , ...rows] = takeWhile((next) => next.includes("|"));
    const names = splitCells(columns);
    return { type: "table", columns: names, rows: rows.map((row) => splitCells(row).slice(0, names.length)) };
  }
  const paragraph = takeWhile((next) => next.trim() !== "" && !beginsBlock(next));
  return { type: "paragraph", text: paragraph.join("\n").trim() };
}

function codeBlock([, mark = "", info = ""]: RegExpExecArray, takeWhile: TakeLines): BlockWithoutSource {
  const language = languageName.exec(info.trim())?.[0] ?? "";
  let open = true;
  const [, ...rest] = takeWhile((line) => {
    const continues = open;
    if (line.trim().startsWith(mark) && /^[`~]+$/.test(line.trim())) open = false;
    return continues;
  });
  return { type: "code", language, code: (open ? rest : rest.slice(0, -1)).join("\n") };
}

function listBlock(line: string, takeWhile: TakeLines, depth: number): BlockWithoutSource {
  const numberOf = (each: string) => marker.exec(each)?.[3];
  const isOrdered = numberOf(line) !== undefined;
  // Lines that are indented two columns more than the list belong to its items. Models do not indent consistently.
  const columns = (each: string) => each.length - each.trimStart().length;
  const listIndent = columns(line);
  const isInside = (each: string) => columns(each) >= listIndent + 2;
  let previousWasBlank = false;
  const lines = takeWhile((next) => {
    const isBlank = next.trim() === "";
    const continues =
      isBlank ||
      isInside(next) ||
      (marker.test(next)
        ? (numberOf(next) !== undefined) === isOrdered && !rule.test(next)
        : !previousWasBlank && !beginsBlock(next));
    previousWasBlank = isBlank;
    return continues;
  });
  const items: string[][] = [];
  let indent = "";
  for (const next of lines) {
    const itemStart = isInside(next) ? null : marker.exec(next);
    if (itemStart) {
      indent = `^ {0,${itemStart[0].length}}`;
      items.push([next.slice(itemStart[0].length)]);
    } else {
      items.at(-1)?.push(next.replace(new RegExp(indent), ""));
    }
  }
  return {
    type: "list",
    start: isOrdered ? Number(numberOf(line)) : null,
    items: items.map((item) => parseMarkdown(item.join("\n"), depth + 1)),
  };
}
