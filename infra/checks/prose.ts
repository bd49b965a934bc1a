import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

/** Wording in a file that the style rules forbid. Line numbers start at 1. */
interface Finding {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly text: string;
}

interface TextFragment {
  readonly kind: "comment" | "docstring" | "string" | "prose";
  readonly text: string;
  readonly offset: number;
}

/** First words of a docstring that are not allowed, because a docstring starts with a verb or a noun phrase. */
const bannedOpeners = /^(?:What|Whether|Who|Whom|Whose|How|That|Something|So many|So much|Those|Whoever|Whatever)\b/;

/** Tag `@see` after other text, or without its reference on the same line. */
const misplacedSee = /\S.*@see\b|@see\s*$/m;

/** Words and phrases that are not allowed, each with the standard term to use instead. */
const bannedWords: readonly (readonly [RegExp, string])[] = [
  [/\b(?:some|no)body\b/i, "name the role: user, caller, tenant"],
  [/\bwho(?:so)?ever\b/i, "name the role: user, caller, tenant"],
  [/\bwhatsoever\b|\bwhatever\b/i, "say 'regardless of' or 'any'"],
  [/\bwhat is (?:none|no)\b/i, "name the thing"],
  [/\b(?:goes|go|went|going) on\b(?! call)/i, "continue, proceed"],
  [/\bbeside\b/i, "next to, in addition to, besides"],
  [/\bmeanwhile\b/i, "concurrently, in the meantime"],
  [/\bdear(?:er|est|ly)?\b/i, "costly, expensive"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix, repair"],
  [/\bpatience\b/i, "timeout"],
  [/\bword (?:for|on) (?:it|that)\b|\bsomeone's word\b|'s word\b/i, "approval"],
  [/\b(?:as|is|was|be|been|are|were) said\b/i, "described, stated"],
  [/\btogether with what\b/i, "name the thing"],
  [
    /[,:;] for (?:it|they|he|she|there|what|who|this|these|such) (?:is|are|was|were|has|have|can|may|does|do|would|will|must)\b/i,
    "because",
  ],
  [/\bso many\b|\bso much\b(?! as)/i, "at most, a number of"],
  [/\bnone the less\b|\bthereof\b|\bwherefore\b|\bwhence\b|\bthither\b/i, "plain English"],
];

/** Files with data of classifiers or with user-visible texts in other languages, which are not checked. */
const dataFiles =
  /^shared\/guardrails\/local\/rules|^functions\/web\/widget\/texts|^functions\/web\/console\/lib\/texts\//;

const checkedFiles = /\.(?:ts|tsx|md|css|cjs)$/;

function commentText(raw: string): string {
  return raw
    .replace(/^\*/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim();
}

/** Returns true for a string literal that reads like a sentence: it contains a space and two adjacent letters. */
const isSentence = (text: string) => / /.test(text) && /[a-z]{2}/i.test(text);

function codeFragments(file: string, source: string): TextFragment[] {
  const { program, comments } = parseSync(file, source);
  const fragments: TextFragment[] = comments.map(({ type, value, start }) => ({
    kind: type === "Block" && value.startsWith("*") ? "docstring" : "comment",
    text: commentText(value),
    offset: start,
  }));
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(visit);
      return;
    }
    if (typeof node !== "object" || node === null) return;
    const { type, value, start } = node as { type?: string; value?: unknown; start?: number };
    if (type === "Literal" && typeof value === "string" && isSentence(value)) {
      fragments.push({ kind: "string", text: value, offset: start ?? 0 });
    } else if (type === "TemplateElement") {
      const { cooked } = value as { cooked?: string };
      if (cooked && isSentence(cooked)) fragments.push({ kind: "string", text: cooked, offset: start ?? 0 });
    }
    for (const [key, child] of Object.entries(node)) if (key !== "parent") visit(child);
  };
  visit(program);
  return fragments;
}

/** Returns the text of a Markdown file without code blocks and inline code. */
function markdownFragments(source: string): TextFragment[] {
  const blank = (text: string) => text.replace(/[^\n]/g, " ");
  return [{ kind: "prose", text: source.replace(/```[\s\S]*?```/g, blank).replace(/`[^`\n]*`/g, blank), offset: 0 }];
}

export function proseFindings(file: string, source: string): Finding[] {
  const fragments = file.endsWith(".md")
    ? markdownFragments(source)
    : file.endsWith(".css")
      ? [...source.matchAll(/\/\*([\s\S]*?)\*\//g)].map(
          ({ 1: text = "", index }): TextFragment => ({ kind: "comment", text: commentText(text), offset: index }),
        )
      : codeFragments(file, source);
  const findings: Finding[] = [];
  for (const { kind, text, offset } of fragments) {
    const report = (rule: string, excerpt: string, within = 0) => {
      const line = source.slice(0, kind === "prose" ? within : offset).split("\n").length;
      findings.push({ file, line, rule, text: excerpt });
    };
    const opener = kind === "docstring" || kind === "comment" ? bannedOpeners.exec(text) : null;
    if (opener) report("starts with a verb or a noun phrase", text.slice(0, 80));
    const tag = kind === "docstring" ? misplacedSee.exec(text) : null;
    if (tag) report("put @see at the start of a line, with its reference", tag[0]);
    for (const [pattern, replacement] of bannedWords) {
      const match = pattern.exec(text);
      if (match) report(replacement, text.slice(Math.max(0, match.index - 30), match.index + 50), match.index);
    }
  }
  return findings;
}

/** Returns the wordings that the style rules forbid in the summaries and descriptions of an OpenAPI document. */
function openapiFindings(file: string, document: unknown): Finding[] {
  const findings: Finding[] = [];
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if ((key === "summary" || key === "description") && typeof value === "string") {
        if (bannedOpeners.test(value)) findings.push({ file, line: 0, rule: `opener at ${path}`, text: value });
        for (const [pattern, replacement] of bannedWords) {
          if (pattern.test(value)) findings.push({ file, line: 0, rule: `${replacement} at ${path}`, text: value });
        }
      } else visit(value, `${path}/${key}`);
    }
  };
  visit(document, "");
  return findings;
}

/** Returns the files whose prose is checked. */
function proseFiles(): string[] {
  return execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
    .split("\n")
    .filter(
      (file) =>
        checkedFiles.test(file) && !dataFiles.test(file) && !file.startsWith("infra/checks/") && existsSync(file),
    );
}

if (import.meta.main) {
  const only = process.argv.slice(2);
  const files = proseFiles().filter((file) => only.length === 0 || only.some((prefix) => file.startsWith(prefix)));
  const findings = files.flatMap((file) => proseFindings(file, readFileSync(file, "utf8")));
  if (only.length === 0) {
    findings.push(...openapiFindings("openapi.json", JSON.parse(readFileSync("openapi.json", "utf8"))));
  }
  for (const { file, line, rule, text } of findings) {
    console.log(`${file}:${line}: "${text.replace(/\s+/g, " ")}" → ${rule}`);
  }
  console.log(`${findings.length} findings in ${files.length} files`);
  if (findings.length > 0) process.exitCode = 1;
}
