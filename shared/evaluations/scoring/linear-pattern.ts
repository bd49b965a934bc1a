/** Maximum number of steps of a compiled pattern. The time of a match is this number times the length of the text. */
const MAX_STEPS = 1_000;

/** Step of a compiled pattern. Positions of others are relative, so that copies of parts can be joined. */
type Step =
  | { readonly kind: "character"; readonly matches: (character: string) => boolean }
  | { readonly kind: "assertion"; readonly holds: (before: string, after: string) => boolean }
  | { readonly kind: "fork"; readonly targets: readonly number[] };

/** A pattern that cannot be matched in linear time, or is none. */
export class PatternError extends Error {
  override name = "PatternError";
}

const isWord = (character: string) => /^\w$/.test(character);
const isBoundary = (before: string, after: string) => isWord(before) !== isWord(after);

const assertions: Readonly<Record<string, (before: string, after: string) => boolean>> = {
  "^": (before) => before === "",
  $: (_, after) => after === "",
  "\\b": isBoundary,
  "\\B": (before, after) => !isBoundary(before, after),
};

const fork = (...targets: number[]): Step => ({ kind: "fork", targets });

/** Parts of a pattern: an escaped character, class, group, quantifier, or any other character. One without its end takes the rest. */
const token =
  /\\(?:[pP]\{[^}]*(?:\}|$)|u\{[^}]*(?:\}|$)|u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)|\[(?:\\.|[^\]\\])*\\?(?:\]|$)|\(\?:|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu;

class Compiler {
  readonly #tokens: readonly string[];
  readonly #flags: string;
  #next = 0;
  #size = 0;

  constructor(source: string, ignoreCase: boolean) {
    this.#tokens = source.match(token) ?? [];
    this.#flags = ignoreCase ? "isu" : "su";
  }

  compile(): readonly Step[] {
    const steps = this.#alternatives();
    if (this.#next < this.#tokens.length) throw new PatternError("has a parenthesis too many");
    return steps;
  }

  #counted(steps: readonly Step[]): readonly Step[] {
    this.#size = Math.max(this.#size, steps.length);
    if (this.#size <= MAX_STEPS) return steps;
    throw new PatternError(`must have at most ${MAX_STEPS} steps; shorten its repetitions`);
  }

  #alternatives(): readonly Step[] {
    const first = this.#sequence();
    if (this.#tokens[this.#next] !== "|") return first;
    this.#next++;
    const others = this.#alternatives();
    return this.#counted([fork(1, first.length + 2), ...first, fork(others.length + 1), ...others]);
  }

  #sequence(): readonly Step[] {
    const steps: Step[] = [];
    for (let current = this.#tokens[this.#next]; current !== undefined; current = this.#tokens[this.#next]) {
      if (current === "|" || current === ")") break;
      steps.push(...this.#repeated(this.#atom()));
      this.#counted(steps);
    }
    return steps;
  }

  #atom(): readonly Step[] {
    const current = this.#tokens[this.#next++] ?? "";
    if (current === "(" || current === "(?:") {
      if (current === "(" && this.#tokens[this.#next]?.startsWith("?")) {
        throw new PatternError("must have no look-around and no named groups");
      }
      const steps = this.#alternatives();
      if (this.#tokens[this.#next++] !== ")") throw new PatternError("has an open parenthesis");
      return steps;
    }
    const holds = assertions[current];
    if (holds) return [{ kind: "assertion", holds }];
    if (/^\\[1-9k]/.test(current)) throw new PatternError("must have no back references");
    if (/^[*+?{]/.test(current)) throw new PatternError("has a quantifier without a subject");
    const character = new RegExp(`^(?:${current})$`, this.#flags);
    const isDot = current === ".";
    return [{ kind: "character", matches: (text) => character.test(text) && !(isDot && text === "\n") }];
  }

  #repeated(atom: readonly Step[]): readonly Step[] {
    const quantifier = this.#tokens[this.#next] ?? "";
    const [, min, range, max] = /^\{(\d+)(,(\d*))?\}/.exec(quantifier) ?? [];
    if (min === undefined && !/^[*+?]/.test(quantifier)) return atom;
    this.#next++;
    const least = min === undefined ? Number(quantifier.startsWith("+")) : Number(min);
    const isOpen = min === undefined ? !quantifier.startsWith("?") : range !== undefined && max === "";
    const most = min === undefined ? 1 : range === undefined ? least : Number(max);
    const copies = least + (isOpen ? 1 : most - least);
    if (copies * (atom.length + 2) > MAX_STEPS) throw new PatternError(`must have at most ${MAX_STEPS} steps`);
    const required = Array.from({ length: least }, () => atom).flat();
    if (isOpen) return [...required, fork(1, atom.length + 2), ...atom, fork(-atom.length - 1)];
    const optional = Array.from({ length: most - least }, () => [fork(1, atom.length + 1), ...atom]).flat();
    return [...required, ...optional];
  }
}

/** Adds a step and those that follow it without a character to the active ones. */
function activate(steps: readonly Step[], active: Set<number>, start: number, before: string, after: string): void {
  const pending = [start];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (active.has(index)) continue;
    active.add(index);
    const step = steps[index];
    if (step?.kind === "fork") for (const target of step.targets) pending.push(index + target);
    if (step?.kind === "assertion" && step.holds(before, after)) pending.push(index + 1);
  }
}

/**
 * Compiles a regular expression to a function that finds it in a text in linear time, by following all alternatives at once
 * (Thompson 1968). It has the syntax of JavaScript without look-around, back references and named groups.
 * @throws PatternError
 */
export function compilePattern(source: string, ignoreCase: boolean): (text: string) => boolean {
  try {
    new RegExp(source, "u");
  } catch {
    throw new PatternError("must be a regular expression");
  }
  const steps = new Compiler(source, ignoreCase).compile();
  return (text) => {
    const characters = [...text];
    let active = new Set<number>();
    for (let position = 0; position <= characters.length; position++) {
      const [before, after] = [characters[position - 1] ?? "", characters[position] ?? ""];
      activate(steps, active, 0, before, after);
      if (active.has(steps.length)) return true;
      const next = new Set<number>();
      for (const index of active) {
        const step = steps[index];
        if (step?.kind !== "character" || after === "" || !step.matches(after)) continue;
        activate(steps, next, index + 1, after, characters[position + 1] ?? "");
      }
      active = next;
    }
    return false;
  };
}
