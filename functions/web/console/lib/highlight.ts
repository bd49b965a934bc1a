import * as grammars from "@speed-highlight/core/languages";
import { type ShjToken, tokenizeWith } from "@speed-highlight/core/tokenize";

/** Part of code and the kind that it is highlighted as; undefined for plain text. */
export type CodeToken = readonly [text: string, kind: ShjToken | undefined];

/** Maximum length of code that is highlighted, which limits the time that hostile code can take. */
const MAX_LENGTH = 20_000;

const languages: Readonly<Record<string, (typeof grammars)[keyof typeof grammars]>> = {
  ...grammars,
  "c++": grammars.c,
  cpp: grammars.c,
  dockerfile: grammars.docker,
  golang: grammars.go,
  h: grammars.c,
  javascript: grammars.js,
  jsx: grammars.js,
  makefile: grammars.make,
  markdown: grammars.md,
  mjs: grammars.js,
  patch: grammars.diff,
  perl: grammars.pl,
  python: grammars.py,
  rust: grammars.rs,
  sh: grammars.bash,
  shell: grammars.bash,
  svg: grammars.xml,
  tsx: grammars.ts,
  typescript: grammars.ts,
  yml: grammars.yaml,
  zsh: grammars.bash,
};

/** Splits code into tokens for highlighting; null for a language without a grammar and for long code. */
export function highlight(code: string, language: string): CodeToken[] | null {
  const name = language.toLowerCase();
  const grammar = Object.hasOwn(languages, name) ? languages[name] : undefined;
  if (!grammar || code.length > MAX_LENGTH) return null;
  const tokens: CodeToken[] = [];
  tokenizeWith(code, grammar, (text, kind) => text !== "" && tokens.push([text, kind]), { languages });
  return tokens;
}
