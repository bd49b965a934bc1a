import { bareAddress, safeAddress } from "./address.ts";
import { h } from "./dom.ts";

/** How far the other end of a pair is looked for, in characters, and how deep pairs may stand in one another. */
const reach = 1_000;
const deepest = 8;

/** Marks that are looked at for the end of a pair. */
const candidates = 20;

/** A link that leads out of the page and tells nobody where it stood; plain text where the address is no good one. */
export function link(address: string, content: readonly (Node | string)[]): Node | string {
  const href = safeAddress(address);
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
const plain = (text: string) => text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name) => entities[name] ?? "");

/** What a rule made of the text at a place: nodes, and where the text goes on. */
type Found = { readonly node: Node | string; readonly end: number } | null;

const closing = (text: string, mark: string, from: number) => {
  const at = text.slice(from, from + reach).indexOf(mark);
  return at > 0 ? from + at : -1;
};

function code(text: string, at: number): Found {
  const mark = /^`+/.exec(text.slice(at, at + 20))?.[0] ?? "`";
  const from = at + mark.length;
  let end = closing(text, mark, from);
  while (end !== -1 && text[end + mark.length] === "`") end = closing(text, mark, end + mark.length + 1);
  return end === -1 ? null : { node: h("code", {}, text.slice(from, end).trim()), end: end + mark.length };
}

const pairs = [
  ["***", "em"],
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "del"],
  ["*", "em"],
  ["_", "em"],
] as const;

const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);

function emphasis(text: string, at: number, depth: number): Found {
  for (const [mark, tag] of pairs) {
    if (!text.startsWith(mark, at)) continue;
    const from = at + mark.length;
    if (/^\s|^$/.test(text.slice(from, from + 1)) || (mark[0] === "_" && isWord(text[at - 1]))) return null;
    let end = closing(text, mark, from);
    let tries = 0;
    // The end stands behind something; a single mark is no half of a double one, and `_` stands between words.
    while (
      end !== -1 &&
      tries++ < candidates &&
      (/\s/.test(text[end - 1] ?? "") ||
        (mark.length === 1 && (text[end + 1] === mark || text[end - 1] === mark)) ||
        (mark[0] === "_" && isWord(text[end + mark.length])))
    ) {
      end = closing(text, mark, end + (mark.length === 1 && text[end + 1] === mark ? 2 : 1));
    }
    if (end === -1 || tries > candidates) continue;
    const node = h(tag, {}, ...inline(text.slice(from, end), depth + 1));
    return { node: mark === "***" ? h("strong", {}, node) : node, end: end + mark.length };
  }
  return null;
}

function bracketEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + reach / 2);
  for (let at = from, depth = 1; at < limit; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "[") depth++;
    else if (text[at] === "]" && --depth === 0) return at;
  }
  return -1;
}

function bracket(text: string, at: number, depth: number): Found {
  const isImage = text[at] === "!";
  const from = at + (isImage ? 2 : 1);
  const end = bracketEnd(text, from);
  if (end === -1) return null;
  const label = text.slice(from, end);
  const target = /^\(\s*<?([^\s<>()]*(?:\([^\s()]*\)[^\s()]*)*)>?(?:\s+["'][^"']*["'])?\s*\)/.exec(
    text.slice(end + 1, end + 1 + reach),
  );
  // Images are not loaded: their address would tell whoever chose it that, and what, somebody reads.
  if (target) {
    const content = isImage ? [label || (target[1] ?? "")] : inline(label, depth + 1);
    return { node: link(target[1] ?? "", content), end: end + 1 + target[0].length };
  }
  if (!isImage && /^\d{1,3}$/.test(label)) return { node: h("sup", { class: "ref" }, label), end: end + 1 };
  return null;
}

function address(text: string, at: number): Found {
  const found = bareAddress(text.slice(at, at + reach));
  return found && safeAddress(found) ? { node: link(found, [found]), end: at + found.length } : null;
}

function angle(text: string, at: number): Found {
  const inner = /^<((?:https?:\/\/|mailto:)[^\s<>]+)>/.exec(text.slice(at, at + reach));
  return inner ? { node: link(inner[1] ?? "", [inner[1] ?? ""]), end: at + inner[0].length } : null;
}

function special(text: string, at: number, depth: number): Found {
  switch (text[at]) {
    case "\\": {
      const next = text[at + 1];
      if (next === "\n") return { node: h("br"), end: at + 2 };
      return next && /[!-/:-@[-`{-~]/.test(next) ? { node: next, end: at + 2 } : null;
    }
    case "`":
      return code(text, at);
    case "*":
    case "_":
    case "~":
      return emphasis(text, at, depth);
    case "!":
      return text[at + 1] === "[" ? bracket(text, at, depth) : null;
    case "[":
      return bracket(text, at, depth);
    case "<":
      return angle(text, at);
    case "h":
    case "m":
      return isWord(text[at - 1]) ? null : address(text, at);
    case "\n":
      return / {2}$/.test(text.slice(Math.max(0, at - 2), at)) ? { node: h("br"), end: at + 1 } : null;
    default:
      return null;
  }
}

/** Text with its emphasis, code and links. Whatever is HTML in it stays text: every node is made, none is parsed. */
export function inline(text: string, depth = 0): (Node | string)[] {
  if (depth > deepest) return [plain(text)];
  const nodes: (Node | string)[] = [];
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const found = special(text, at, depth);
    if (!found) {
      // A run of marks that opens nothing is passed as a whole, so that nothing is looked at twice.
      at += /^([*_~`])\1*/.exec(text.slice(at, at + 50))?.[0].length ?? 1;
      continue;
    }
    if (at > from) nodes.push(plain(text.slice(from, at)));
    nodes.push(found.node);
    from = at = found.end;
  }
  if (from < text.length) nodes.push(plain(text.slice(from)));
  return nodes;
}
