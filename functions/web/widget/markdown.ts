/** A piece of Markdown that stands for itself; `source` is what it was made of. */
export type Block = { readonly source: string } & (
  | { readonly type: "paragraph"; readonly text: string }
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  | { readonly type: "code"; readonly language: string; readonly code: string }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | { readonly type: "list"; readonly start: number | null; readonly items: readonly (readonly Block[])[] }
  | { readonly type: "table"; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly type: "rule" }
);

// None of these may try the same characters in two ways: a line can be long, and each piece of an answer is followed by all.
const fence = /^ {0,3}(`{3,}|~{3,}(?!~))([^`]*)$/;
const languageName = /^[\w+#.-]*/;
const heading = /^ {0,3}(#{1,6})\s(.*)$/s;
const rule = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const quote = /^ {0,3}> ?/;
const marker = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:[ \t]+|$)/;
const delimiterRow = /^\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?$/;

/** Quotes and lists inside one another, at most: a model that goes mad must not take the page with it. */
const deepest = 6;

const beginsBlock = (line: string) =>
  fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line) || marker.test(line);

/** A heading may end as it begins. */
function withoutHashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "#") end--;
  return (end === 0 || text[end - 1] === " " ? text.slice(0, end) : text).trim();
}

const cellsOf = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/**
 * The blocks of a Markdown text, of the kinds that a chat needs. What is not finished yet, such as code without its end,
 * is what it will most likely be.
 */
export function parseMarkdown(text: string, depth = 0): Block[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  /** The lines from here on for as long as they go on with what was begun. */
  const take = (goesOn: (line: string, index: number) => boolean): string[] => {
    const from = at++;
    while (at < lines.length && goesOn(lines[at] ?? "", at)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const from = at;
    const block = line.trim() ? nextBlock(line, lines[at + 1] ?? "", take, depth) : void at++;
    if (block) blocks.push({ ...block, source: lines.slice(from, at).join("\n") } as Block);
  }
  return blocks;
}

type Take = (goesOn: (line: string, index: number) => boolean) => string[];
type Unsourced = Block extends infer Each ? (Each extends Block ? Omit<Each, "source"> : never) : never;

function nextBlock(line: string, following: string, take: Take, depth: number): Unsourced {
  const opened = fence.exec(line);
  if (opened) return codeBlock(opened, take);
  const titled = heading.exec(line);
  if (titled) {
    take(() => false);
    return { type: "heading", level: titled[1]?.length ?? 1, text: withoutHashes(titled[2] ?? "") };
  }
  if (rule.test(line)) {
    take(() => false);
    return { type: "rule" };
  }
  if (depth < deepest && quote.test(line)) {
    const quoted = take((next) => next.trim() !== "" && (quote.test(next) || !beginsBlock(next)));
    return {
      type: "quote",
      blocks: parseMarkdown(quoted.map((each) => each.replace(quote, "")).join("\n"), depth + 1),
    };
  }
  if (depth < deepest && marker.test(line)) return listBlock(line, take, depth);
  if (line.includes("|") && following.includes("-") && delimiterRow.test(following.trim())) {
    const [columns = "", , ...rows] = take((next) => next.includes("|"));
    const names = cellsOf(columns);
    return { type: "table", columns: names, rows: rows.map((row) => cellsOf(row).slice(0, names.length)) };
  }
  const paragraph = take((next) => next.trim() !== "" && !beginsBlock(next));
  return { type: "paragraph", text: paragraph.join("\n").trim() };
}

function codeBlock([, mark = "", info = ""]: RegExpExecArray, take: Take): Unsourced {
  const language = languageName.exec(info.trim())?.[0] ?? "";
  let open = true;
  const [, ...rest] = take((line) => {
    const goesOn = open;
    if (line.trim().startsWith(mark) && /^[`~]+$/.test(line.trim())) open = false;
    return goesOn;
  });
  return { type: "code", language, code: (open ? rest : rest.slice(0, -1)).join("\n") };
}

function listBlock(line: string, take: Take, depth: number): Unsourced {
  const numberOf = (each: string) => marker.exec(each)?.[3];
  const isOrdered = numberOf(line) !== undefined;
  // What stands two columns further in than the list belongs to its items; models are not exact about how far.
  const columns = (each: string) => each.length - each.trimStart().length;
  const first = columns(line);
  const isInside = (each: string) => columns(each) >= first + 2;
  let blank = false;
  const lines = take((next) => {
    const isBlank = next.trim() === "";
    const goesOn =
      isBlank ||
      isInside(next) ||
      (marker.test(next)
        ? (numberOf(next) !== undefined) === isOrdered && !rule.test(next)
        : !blank && !beginsBlock(next));
    blank = isBlank;
    return goesOn;
  });
  const items: string[][] = [];
  let indent = "";
  for (const each of lines) {
    const begun = isInside(each) ? null : marker.exec(each);
    if (begun) {
      indent = `^ {0,${begun[0].length}}`;
      items.push([each.slice(begun[0].length)]);
    } else {
      items.at(-1)?.push(each.replace(new RegExp(indent), ""));
    }
  }
  return {
    type: "list",
    start: isOrdered ? Number(numberOf(line)) : null,
    items: items.map((item) => parseMarkdown(item.join("\n"), depth + 1)),
  };
}
