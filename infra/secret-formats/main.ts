/**
 * Generates the table of token formats, `shared/guardrails/secrets/vendor-tokens.ts`, from the rules of Betterleaks, the
 * successor of gitleaks: `npm run secret-formats -- <config/betterleaks.toml of a release> <release>`. Leaves out rules for
 * values that are not secret, such as hosts, and rules that need words before the secret, which the project's own formats
 * cover.
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
      /** True for a rule whose findings are only parts of findings of another rule. */
      skipReport: v.optional(v.boolean(), false),
    }),
  ),
});

/** Names of kinds that policies and the documentation already use, by rule id. */
const establishedKinds: Readonly<Record<string, string>> = { "aws-access-token": "AWS access key" };

const [source, release] = process.argv.slice(2);
if (!source || !release) throw new Error("Usage: npm run secret-formats -- <betterleaks.toml> <release>");

/** Returns the minimum entropy of a rule in bits per character; 0 if it has none. */
const minEntropyOf = (filter: string) => Number(/entropy\(finding\["secret"\]\) <=? ([\d.]+)/.exec(filter)?.[1] ?? 0);

/** Matches patterns for JSON Web Tokens, plain or in Base64, which the project's own format covers. */
const jsonWebToken = /^(?:eyJhbGci|ZXlK)/;

/**
 * Matches a pattern with a repetition of unlimited length that contains hyphens, is not the end of the pattern, and could
 * contain the start of another token.
 */
const innerHyphens = /-\]\{\d+,\}(?!$|[=|)])/;

/**
 * Returns a pattern that matches tokens only at the start of a word. It also excludes starts after a hyphen if the search
 * would otherwise take quadratic time. The condition comes after the first character, so that joined patterns can share the
 * test of that character.
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
