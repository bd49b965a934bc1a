/**
 * Derives the source of a regular expression that matches a possible beginning of a match at the end of a text. Every
 * character except the first may be missing at the end of the text: `ab+c` becomes `a(?:b|$)+(?:c|$)`. The first
 * character is required, because an expression that can begin at any character is several times slower. A lookahead at
 * the end of the source is converted to a group, so that a text that ends within it counts as unfinished.
 * Backreferences are not supported.
 */
export function toPartialSource(source: string): string {
  let at = 0;
  /** True until the derived pattern has consumed a character. */
  let isFirst = true;

  /** Returns the index after the group or character class that starts at `start`. */
  function findEnd(start: number): number {
    let depth = 0;
    let isInClass = false;
    for (let index = start; index < source.length; index++) {
      const char = source[index];
      if (char === "\\") index++;
      else if (isInClass) isInClass = char !== "]";
      else if (char === "[") isInClass = true;
      else if (char === "(") depth++;
      else if (char === ")") depth--;
      if (depth === 0 && !isInClass) return index + 1;
    }
    throw new Error(`Unbalanced pattern: ${source}`);
  }

  function takeAlternatives(): string {
    const isStart = isFirst;
    const alternatives = [takeSequence()];
    while (source[at] === "|") {
      at++;
      isFirst = isStart;
      alternatives.push(takeSequence());
    }
    return alternatives.join("|");
  }

  function takeSequence(): string {
    let sequence = "";
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      sequence += source[at] === "(" ? takeGroup() + takeQuantifier() : toPartialAtom(takeAtom(), takeQuantifier());
    }
    return sequence;
  }

  function toPartialAtom(atom: string, quantifier: string): string {
    const isAssertion = atom === "\\b" || atom === "\\B";
    const isRequired = isFirst && quantifier === "";
    if (!isAssertion) isFirst = false;
    return isRequired ? atom : `(?:${atom}|$)${quantifier}`;
  }

  function takeQuantifier(): string {
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(at))?.[0] ?? "";
    at += quantifier.length;
    return quantifier;
  }

  function takeGroup(): string {
    const lookbehindOrNegation = /^\(\?(?:<[=!]|!)/.test(source.slice(at));
    if (lookbehindOrNegation) {
      const start = at;
      at = findEnd(start);
      return source.slice(start, at);
    }
    const isLookahead = source.startsWith("(?=", at);
    const isStart = isFirst;
    // Later repetitions of a group begin where the text may end, and so may the text that a lookahead tests.
    if (isLookahead || /^[*+?{]/.test(source.slice(findEnd(at)))) isFirst = false;
    at += /^\((?:\?(?:[:=]|<\w+>))?/.exec(source.slice(at))?.[0].length ?? 1;
    const content = takeAlternatives();
    isFirst = isStart && isLookahead;
    at++;
    return `(?${isLookahead && at < source.length ? "=" : ":"}${content})`;
  }

  function takeAtom(): string {
    const start = at;
    if (source[at] === "[") at = findEnd(at);
    else
      at +=
        /^(?:\\[pP]\{[^}]+\}|\\u\{[^}]+\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\.|.)/iu.exec(source.slice(at))?.[0].length ?? 1;
    return source.slice(start, at);
  }

  return takeAlternatives();
}
