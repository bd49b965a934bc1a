/** Part of a regular expression in the syntax of Go (RE2). */
type Part = (
  | { readonly kind: "text"; readonly source: string }
  | { readonly kind: "class"; readonly source: string }
  | { readonly kind: "boundary" }
  | { readonly kind: "group"; readonly isCapturing: boolean; readonly alternatives: readonly Part[][] }
) & { readonly quantifier: string };

/** Minimum length of the fixed text with which every match of a pattern must begin. */
const MIN_PREFIX_LENGTH = 3;

class UnsupportedSyntax extends Error {}

/** Adds the other case of letters to the content of a character class: `a-f_` becomes `A-Fa-f_`. */
function addOtherCase(content: string): string {
  const letters: readonly string[] = content.match(/\\.|[A-Za-z]-[A-Za-z]|[A-Za-z]/g) ?? [];
  const others = letters
    .filter((text) => !text.startsWith("\\"))
    .map((text) => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase()));
  return others.filter((text) => !letters.includes(text)).join("") + content;
}

/**
 * Parses a regular expression.
 * @throws UnsupportedSyntax for `.`, anchors within the expression, and comments
 */
function parse(source: string): Part[][] {
  let at = 0;

  function takeAlternatives(ignoresCase: boolean): Part[][] {
    let isIgnored = ignoresCase;
    const alternatives: Part[][] = [[]];
    while (at < source.length && source[at] !== ")") {
      const flags = /^\(\?(-?)i\)/.exec(source.slice(at));
      if (flags) {
        isIgnored = flags[1] === "";
        at += flags[0].length;
      } else if (source[at] === "|") {
        at++;
        alternatives.push([]);
      } else alternatives.at(-1)?.push(takePart(isIgnored));
    }
    return alternatives;
  }

  function take(expression: RegExp): string | undefined {
    const text = expression.exec(source.slice(at))?.[0];
    at += text?.length ?? 0;
    return text;
  }

  const takeQuantifier = () => take(/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/) ?? "";

  function takePart(ignoresCase: boolean): Part {
    if (source[at] === "(") {
      const opening = take(/^\((?:\?(?:(-?)i:|:|P?<\w+>))?/) ?? "";
      if (source[at] === "?") throw new UnsupportedSyntax(source);
      const isCapturing = opening === "(" || opening.includes("<");
      const alternatives = takeAlternatives(opening.includes("i:") ? !opening.includes("-") : ignoresCase);
      at++;
      return { kind: "group", isCapturing, alternatives, quantifier: takeQuantifier() };
    }
    if (take(/^(?:\\b|\\z|\$|\^)/)) return { kind: "boundary", quantifier: "" };
    const content = take(/^\[(?:\[:\w+:\]|\\.|[^\]\\])+\]/)?.slice(1, -1);
    if (content !== undefined) {
      const plain = content.replaceAll("[:alnum:]", "A-Za-z0-9").replaceAll("\\_", "_");
      return { kind: "class", source: `[${ignoresCase ? addOtherCase(plain) : plain}]`, quantifier: takeQuantifier() };
    }
    const shorthand = take(/^\\[wdsWDS]/);
    if (shorthand) return { kind: "class", source: shorthand, quantifier: takeQuantifier() };
    const text = take(/^(?:\\x[\da-f]{2}|\\[^\w]|[^.\\])/i);
    if (text === undefined) throw new UnsupportedSyntax(source);
    return { kind: "text", source: text.replace("\\-", "-"), quantifier: takeQuantifier() };
  }

  return takeAlternatives(false);
}

/**
 * Returns the length of the fixed text with which every match of a sequence begins, and whether the sequence consists of that
 * text only.
 */
function measurePrefix(parts: readonly Part[]): { readonly length: number; readonly isWhole: boolean } {
  let length = 0;
  for (const part of parts) {
    if (part.kind === "boundary") continue;
    if (part.kind === "class" || part.quantifier !== "") return { length, isWhole: false };
    if (part.kind === "text") length++;
    else {
      const prefixes = part.alternatives.map(measurePrefix);
      length += Math.min(...prefixes.map((prefix) => prefix.length));
      if (prefixes.some(({ isWhole }) => !isWhole)) return { length, isWhole: false };
    }
  }
  return { length, isWhole: true };
}

/** Returns parts as JavaScript source. With `isOpen`, the last part can have any length above its minimum. */
function write(parts: readonly Part[], isOpen: boolean): string {
  const lastAt = parts.findLastIndex(
    ({ kind, quantifier }) => kind !== "boundary" && !/^(?:[*?]|\{0)/.test(quantifier),
  );
  return parts
    .map((part, index) => {
      const isLast = isOpen && index === lastAt;
      if (part.kind === "boundary") return "";
      if (part.kind === "group") {
        const alternatives = part.alternatives.map((sequence) => write(sequence, isLast)).join("|");
        return part.alternatives.length === 1 && part.quantifier === ""
          ? alternatives
          : `(?:${alternatives})${part.quantifier}`;
      }
      const isOpenEnded = isLast && part.kind === "class";
      return part.source + (isOpenEnded ? part.quantifier.replace(/^\{(\d+)(?:,\d*)?\}$/, "{$1,}") : part.quantifier);
    })
    .join("");
}

/**
 * Converts a Go expression for tokens to JavaScript source. The result begins with fixed text and has no maximum length,
 * because vendors lengthen their tokens. Conditions on the text after the token are dropped.
 * @returns undefined for an expression that needs other text, such as the vendor's name, has no fixed beginning, is an
 * address, or has a repetition that can match in several ways
 */
export function toTokenPattern(expression: string): string | undefined {
  let alternatives: readonly Part[][];
  try {
    alternatives = parse(expression);
  } catch (error) {
    if (error instanceof UnsupportedSyntax) return undefined;
    throw error;
  }
  const [sequence] = alternatives;
  if (alternatives.length !== 1 || !sequence) return undefined;
  const capture = sequence.find((part) => part.kind === "group" && part.isCapturing);
  const token = capture ? [capture] : sequence;
  if (measurePrefix(token).length < MIN_PREFIX_LENGTH) return undefined;
  const source = write(token, true);
  return /\\[sSWD]|\[\^|\]\*|:\/\//.test(source) ? undefined : source;
}
