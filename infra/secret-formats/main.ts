/**
 * Writes the table of the vendors' tokens (`shared/guardrails/secrets/vendor-tokens.ts`) from the rules of Betterleaks, which
 * the author of gitleaks maintains in its place. Use: `npm run secret-formats -- <config/betterleaks.toml of a release> <release>`.
 * Rules for values that are not secret by themselves, such as hosts, are left out, and so are rules that find a secret by the
 * words before it, for which the project has formats of its own.
 * @see https://github.com/betterleaks/betterleaks
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import * as v from "valibot";
import { toTokenPattern } from "./token-pattern.ts";

const Config = v.object({
  rules: v.array(
    v.object({
      id: v.string(),
      regex: v.optional(v.string(), ""),
      filter: v.optional(v.string(), ""),
      /** True for a part of another rule's finding. */
      skipReport: v.optional(v.boolean(), false),
    }),
  ),
});

/** Kinds whose names are in policies and in the documentation, by the rule. */
const establishedKinds: Readonly<Record<string, string>> = { "aws-access-token": "AWS access key" };

const [source, release] = process.argv.slice(2);
if (!source || !release) throw new Error("Usage: npm run secret-formats -- <betterleaks.toml> <release>");

/** Returns the bits per character that a rule requires, 0 if it requires none. */
const minEntropyOf = (filter: string) => Number(/entropy\(finding\["secret"\]\) <=? ([\d.]+)/.exec(filter)?.[1] ?? 0);

/** Pattern of a rule for JSON Web Tokens, in base64 or not, for which the project has one format. */
const jsonWebToken = /^(?:eyJhbGci|ZXlK)/;

/** Part of any length that can contain the beginning of another token after a hyphen, followed by more of the token. */
const innerHyphens = /-\]\{\d+,\}(?!$|[=|)])/;

/**
 * Returns a pattern for tokens at the start of a word; not after a hyphen if the search would take quadratic time otherwise. The
 * condition follows the first character, if all tokens have the same, so that joined patterns share the test of that.
 */
function startingWord(pattern: string): string {
  const [first = ""] = pattern;
  if (!/[\w(]/.test(first)) return pattern;
  if (!innerHyphens.test(pattern)) return `\\b${pattern}`;
  return first === "(" ? `(?<![\\w-])${pattern}` : `\\b${first}(?<!-${first})${pattern.slice(1)}`;
}

const entries = new Map<string, string>();
for (const { id, regex, filter, skipReport } of v.parse(Config, parse(readFileSync(source, "utf8"))).rules) {
  const pattern = skipReport ? undefined : toTokenPattern(regex);
  if (!pattern || jsonWebToken.test(pattern) || entries.has(pattern)) continue;
  const kind = establishedKinds[id] ?? id.replace(/\.\d+$/, "").replaceAll("-", " ");
  entries.set(pattern, `  [${JSON.stringify(kind)}, ${minEntropyOf(filter)}, ${new RegExp(startingWord(pattern))}],`);
}

const target = fileURLToPath(new URL("../../shared/guardrails/secrets/vendor-tokens.ts", import.meta.url));
writeFileSync(
  target,
  `/**
 * Token formats of vendors: kind, minimum entropy in bits per character, and pattern. Written by
 * \`npm run secret-formats\` from the rules of Betterleaks ${release} (https://github.com/betterleaks/betterleaks), Copyright (c)
 * 2026 Zachary Rice, MIT License. Change the program and not this file.
 */
export const vendorTokens: readonly (readonly [kind: string, minEntropy: number, pattern: RegExp])[] = [
${[...entries.values()].join("\n")}
];
`,
);
execFileSync("npx", ["biome", "check", "--write", target], { stdio: "inherit" });
console.log(`${entries.size} patterns written to ${target}`);
