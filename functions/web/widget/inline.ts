import { bareAddress, safeAddress } from "./address.ts";
import { h } from "./dom.ts";

/** Maximum distance between opening and closing delimiters in characters, and maximum nesting depth. */
const maxPairLength = 1_000;
const maxDepth = 8;

/** Maximum number of delimiters that are tried as the closing one. */
const maxClosingCandidates = 20;

/** Creates an external link without referrer. Returns plain text if the URL is not safe. */
export function link(url: string, content: readonly (Node | string)[]): Node | string {
  const href = safeAddress(url);
  if (!href) return h("span", {}, ...content);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow ugc" }, ...content);
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: "\u00a0",
};
const decodeEntities = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name) => entities[name] ?? "");

/** Result of an inline rule: the node, and the offset at which parsing continues. */
type InlineMatch = { readonly node: Node | string; readonly end: number } | null;

const findClosing = (text: string, mark: string, start: number) => {
  const offset = text.slice(start, start + maxPairLength).indexOf(mark);
  return offset > 0 ? start + offset : -1;
};

function matchCode(text: string, offset: number): InlineMatch {
  const mark = /^`+/.exec(text.slice(offset, offset + 20))?.[0] ?? "`";
  const start = offset + mark.length;
  let end = findClosing(text, mark, start);
  while (end !== -1 && text[end + mark.length] === "`") end = findClosing(text, mark, end + mark.length + 1);
  return end === -1 ? null : { node: h("code", {}, text.slice(start, end).trim()), end: end + mark.length };
}

const emphasisMarks = [
  ["***", "em"],
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "del"],
  ["*", "em"],
  ["_", "em"],
] as const;

const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);

function matchEmphasis(text: string, offset: number, depth: number): InlineMatch {
  for (const [mark, tag] of emphasisMarks) {
    if (!text.startsWith(mark, offset)) continue;
    const start = offset + mark.length;
    if (/^\s|^$/.test(text.slice(start, start + 1)) || (mark[0] === "_" && isWord(text[offset - 1]))) return null;
    let end = findClosing(text, mark, start);
    let tries = 0;
    // A closing delimiter does not follow whitespace, a single one is not part of a double one, and `_` is not within a word.
    while (
      end !== -1 &&
      tries++ < maxClosingCandidates &&
      (/\s/.test(text[end - 1] ?? "") ||
        (mark.length === 1 && (text[end + 1] === mark || text[end - 1] === mark)) ||
        (mark[0] === "_" && isWord(text[end + mark.length])))
    ) {
      end = findClosing(text, mark, end + (mark.length === 1 && text[end + 1] === mark ? 2 : 1));
    }
    if (end === -1 || tries > maxClosingCandidates) continue;
    const node = h(tag, {}, ...inline(text.slice(start, end), depth + 1));
    return { node: mark === "***" ? h("strong", {}, node) : node, end: end + mark.length };
  }
  return null;
}

function bracketEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + maxPairLength / 2);
  for (let offset = start, depth = 1; offset < limit; offset++) {
    if (text[offset] === "\\") offset++;
    else if (text[offset] === "[") depth++;
    else if (text[offset] === "]" && --depth === 0) return offset;
  }
  return -1;
}

function matchBracket(text: string, offset: number, depth: number): InlineMatch {
  const isImage = text[offset] === "!";
  const start = offset + (isImage ? 2 : 1);
  const end = bracketEnd(text, start);
  if (end === -1) return null;
  const label = text.slice(start, end);
  const target = /^\(\s{0,20}<?([^\s<>()]*(?:\([^\s()]*\)[^\s()]*)*)>?(?:\s{1,20}["'][^"']*["'])?\s{0,20}\)/.exec(
    text.slice(end + 1, end + 1 + maxPairLength),
  );
  // Images are rendered as links: loading one would reveal the visitor and the conversation to the author of the URL.
  if (target) {
    const content = isImage ? [label || (target[1] ?? "")] : inline(label, depth + 1);
    return { node: link(target[1] ?? "", content), end: end + 1 + target[0].length };
  }
  if (!isImage && /^\d{1,3}$/.test(label)) return { node: h("sup", { class: "ref" }, label), end: end + 1 };
  return null;
}

function matchAddress(text: string, offset: number): InlineMatch {
  const match = bareAddress(text.slice(offset, offset + maxPairLength));
  return match && safeAddress(match) ? { node: link(match, [match]), end: offset + match.length } : null;
}

function matchAngle(text: string, offset: number): InlineMatch {
  const inner = /^<((?:https?:\/\/|mailto:)[^\s<>]+)>/.exec(text.slice(offset, offset + maxPairLength));
  return inner ? { node: link(inner[1] ?? "", [inner[1] ?? ""]), end: offset + inner[0].length } : null;
}

function matchInline(text: string, offset: number, depth: number): InlineMatch {
  switch (text[offset]) {
    case "\\": {
      const next = text[offset + 1];
      if (next === "\n") return { node: h("br"), end: offset + 2 };
      return next && /[!-/:-@[-`{-~]/.test(next) ? { node: next, end: offset + 2 } : null;
    }
    case "`":
      return matchCode(text, offset);
    case "*":
    case "_":
    case "~":
      return matchEmphasis(text, offset, depth);
    case "!":
      return text[offset + 1] === "[" ? matchBracket(text, offset, depth) : null;
    case "[":
      return matchBracket(text, offset, depth);
    case "<":
      return matchAngle(text, offset);
    case "h":
    case "m":
      return isWord(text[offset - 1]) ? null : matchAddress(text, offset);
    case "\n":
      return / {2}$/.test(text.slice(Math.max(0, offset - 2), offset)) ? { node: h("br"), end: offset + 1 } : null;
    default:
      return null;
  }
}

/** Parses inline Markdown: emphasis, code and links. HTML stays text, because nodes are created and never parsed. */
export function inline(text: string, depth = 0): (Node | string)[] {
  if (depth > maxDepth) return [decodeEntities(text)];
  const nodes: (Node | string)[] = [];
  let start = 0;
  let offset = 0;
  while (offset < text.length) {
    const match = matchInline(text, offset, depth);
    if (!match) {
      // Skip all delimiters of a run that opens nothing at once, so that parsing stays linear.
      offset += /^([*_~`])\1*/.exec(text.slice(offset, offset + 50))?.[0].length ?? 1;
      continue;
    }
    if (offset > start) nodes.push(decodeEntities(text.slice(start, offset)));
    nodes.push(match.node);
    start = offset = match.end;
  }
  if (start < text.length) nodes.push(decodeEntities(text.slice(start)));
  return nodes;
}
