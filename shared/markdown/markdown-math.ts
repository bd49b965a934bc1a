import type { Literal } from "mdast";
import type { Extension as MdastExtension, Options } from "mdast-util-from-markdown";

/** LaTeX formula in a Markdown text, as a node of the syntax tree. */
export interface Formula extends Literal {
  readonly type: "math";
  /** Source text of the formula, including its delimiters. */
  source: string;
  /** True for a formula that stands on lines of its own. */
  isDisplay: boolean;
}

declare module "mdast" {
  interface RootContentMap {
    math: Formula;
  }
  interface PhrasingContentMap {
    math: Formula;
  }
}

type Syntax = NonNullable<Options["extensions"]>[number];
type Construct = Exclude<Extract<Syntax, { text?: unknown }>["text"], undefined>[string] & { tokenize: unknown };
type Tokenizer = Exclude<Construct, readonly unknown[]>["tokenize"];
type Effects = Parameters<Tokenizer>[0];
type State = Parameters<Tokenizer>[1];
type TokenType = Parameters<Effects["enter"]>[0];
type Code = Parameters<State>[0];

const math = "math" as TokenType;
const mathLine = "mathLine" as TokenType;

const dollar = 36;
const backslash = 92;
const closingOf = new Map([
  [40, 41],
  [91, 93],
]);

/** micromark represents line endings by negative codes below -2, tabs by -2 and -1, and the end of the text by null. */
const isLineEnding = (code: Code) => code !== null && code < -2;
const isSpace = (code: Code) => code === 32 || code === -2 || code === -1;

/** Continues a formula on the next line, unless that line is a lazy continuation of a block quote or list (CommonMark). */
const nextLine: Exclude<Construct, readonly unknown[]> = {
  partial: true,
  tokenize(effects, ok, nok) {
    return (code) => {
      effects.enter("lineEnding");
      effects.consume(code);
      effects.exit("lineEnding");
      return (next) => (this.parser.lazy[this.now().line] ? nok(next) : ok(next));
    };
  },
};

/**
 * Tokenizes a formula. A second opening delimiter ends the attempt, so that the cost is linear in the length of the text.
 * @param isBlock true for a formula whose delimiters begin and end a line
 */
const tokenizer = (isBlock: boolean): Tokenizer =>
  function tokenize(effects, ok, nok) {
    let opening: Code = null;
    let closing: Code = null;
    let isInline = false;
    let isEmpty = true;
    let isBlankLine = false;
    let before: Code = null;
    const finish: State = (code) => {
      if (isBlock && isSpace(code)) {
        effects.consume(code);
        return finish;
      }
      if (isBlock && code !== null && !isLineEnding(code)) return nok(code);
      effects.exit(mathLine);
      effects.exit(math);
      return ok(code);
    };
    /** Ends a formula at a single dollar sign. A digit after the sign makes it an amount of money instead. */
    const finishInline: State = (code) => (code !== null && code >= 48 && code <= 57 ? nok(code) : finish(code));
    const afterMark: State = (code) => {
      if (code === closing && !isEmpty) {
        effects.consume(code);
        return finish;
      }
      if (opening === dollar || code === opening) return nok(code);
      before = backslash;
      return code === backslash ? escaped(code) : inside(code);
    };
    const escaped: State = (code) => {
      effects.consume(code);
      before = null;
      return inside;
    };
    const inside: State = (code) => {
      if (code === null) return nok(code);
      if (isLineEnding(code)) {
        // An open delimiter in a line changes its own paragraph only. Models leave blank lines in formulas on lines of their own.
        if (isInline || (isBlankLine && !isBlock)) return nok(code);
        effects.exit(mathLine);
        return effects.attempt(nextLine, startLine, nok)(code);
      }
      if (code === dollar || code === backslash) isBlankLine = false;
      if (code === dollar && opening === dollar && before !== backslash) {
        if (isInline) {
          if (isEmpty || isSpace(before)) return nok(code);
          effects.consume(code);
          return finishInline;
        }
        effects.consume(code);
        return afterMark;
      }
      if (code === backslash && before !== backslash) {
        effects.consume(code);
        if (opening !== dollar) return afterMark;
        before = backslash;
        isEmpty = false;
        return inside;
      }
      if (isInline && isEmpty && isSpace(code)) return nok(code);
      if (!isSpace(code)) isEmpty = isBlankLine = false;
      before = before === backslash ? null : code;
      effects.consume(code);
      return inside;
    };
    const startLine: State = (code) => {
      if (isBlock && isLineEnding(code)) return effects.attempt(nextLine, startLine, nok)(code);
      isBlankLine = true;
      effects.enter(mathLine);
      return inside(code);
    };
    const second: State = (code) => {
      if (opening === null && code === dollar) {
        opening = closing = dollar;
      } else if (opening === null) {
        isInline = true;
        opening = dollar;
        return isBlock ? nok(code) : inside(code);
      }
      effects.consume(code);
      return inside;
    };
    const secondAfterBackslash: State = (code) => {
      const close = code === null ? undefined : closingOf.get(code);
      if (close === undefined || (isBlock && close === 41)) return nok(code);
      opening = code;
      closing = close;
      effects.consume(code);
      return inside;
    };
    return (code) => {
      // `US$5` is money.
      if (
        code === dollar &&
        this.previous !== null &&
        /[\p{L}\p{N}$]/u.test(String.fromCodePoint(Math.max(0, this.previous)))
      ) {
        return nok(code);
      }
      effects.enter(math);
      effects.enter(mathLine);
      effects.consume(code);
      return code === dollar ? second : secondAfterBackslash;
    };
  };

const text = { name: "mathText", tokenize: tokenizer(false) };
const flow = { name: "mathFlow", tokenize: tokenizer(true), concrete: true };

/** micromark syntax extension for `\(a\)`, `\[a\]`, `$a$` and `$$a$$`. */
export const mathSyntax: Syntax = {
  text: { [dollar]: text, [backslash]: text },
  flow: { [dollar]: flow, [backslash]: flow },
};

/** Extension that adds formulas to the mdast syntax tree, as nodes of the type `math`. */
export const mathFromMarkdown: MdastExtension = {
  enter: {
    math(token) {
      this.enter({ type: "math", value: "", source: "", isDisplay: false } as never, token);
    },
  },
  exit: {
    mathLine(token) {
      const node = this.stack.at(-1) as unknown as Formula;
      node.source += `${node.source ? "\n" : ""}${this.sliceSerialize(token)}`;
    },
    math(token) {
      const node = this.stack.at(-1) as unknown as Formula;
      const source = node.source.trim();
      const isSingle = source.startsWith("$") && !source.startsWith("$$");
      const width = isSingle ? 1 : 2;
      node.source = source;
      node.isDisplay = /^(?:\$\$|\\\[)/.test(source);
      node.value = source.slice(width, -width);
      this.exit(token);
    },
  },
};
