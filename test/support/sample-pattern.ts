/**
 * Returns a random text that a pattern of texts, classes, groups and quantifiers matches. Open quantifiers add up to 9 repetitions.
 * @param next random number from 0 to 1
 */
export function samplePattern(source: string, next: () => number): string {
  let at = 0;
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(next() * values.length)] as Value;
  const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));

  function take(expression: RegExp): string | undefined {
    const text = expression.exec(source.slice(at))?.[0];
    at += text?.length ?? 0;
    return text;
  }

  function takeAlternatives(): string {
    const alternatives = [takeSequence()];
    while (take(/^\|/)) alternatives.push(takeSequence());
    return pick(alternatives);
  }

  function takeSequence(): string {
    let text = "";
    while (at < source.length && !/[|)]/.test(source[at] ?? "")) {
      const start = at;
      takeAtom();
      const quantifier = take(/^(?:[?+]|\{\d+(?:,\d*)?\})/) ?? "{1}";
      const end = at;
      const bounds = { "?": "0,1", "+": "1," }[quantifier] ?? quantifier.slice(1, -1);
      const [least = 0, most = least] = bounds.split(",").map(Number);
      const count = least + Math.floor(next() * ((most || least + 9) - least + 1));
      for (let index = 0; index < count; index++) {
        at = start;
        text += takeAtom();
      }
      at = end;
    }
    return text;
  }

  function takeAtom(): string {
    if (take(/^\((?:\?:)?/)) {
      const text = takeAlternatives();
      at++;
      return text;
    }
    const characters = take(/^(?:\[(?:\\.|[^\]\\])*\]|\\[wd])/);
    if (characters) return pick(printable.filter((character) => new RegExp(characters).test(character)));
    return take(/^\\b/) ? "" : (take(/^(?:\\.|[^\\])/)?.slice(-1) ?? "");
  }

  return takeAlternatives();
}
