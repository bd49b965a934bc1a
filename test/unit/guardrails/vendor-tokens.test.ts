import { expect, it } from "vitest";
import { secretFormats } from "#shared/guardrails/secrets/secret-formats.ts";
import { vendorTokens } from "#shared/guardrails/secrets/vendor-tokens.ts";
import { findSensitiveSpans } from "#shared/guardrails/sensitive-data.ts";
import { redactSpans } from "#shared/guardrails/spans.ts";
import { StreamingRedactor } from "#shared/guardrails/streaming-redactor.ts";
import { growthFactor, MAX_GROWTH } from "#test/support/growth/growth.ts";
import { samplePattern } from "#test/support/sample-pattern.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { toTokenPattern } from "../../../infra/secret-formats/token-pattern.ts";

/** Returns the source of a pattern without a condition for the text before it. */
const withoutLookbehind = ({ source }: RegExp) => source.replace(/\(\?<![^)]*\)/, "");

it("redaction of secrets removes random tokens of every vendor, equally from whole texts and from streams", () => {
  const next = seededRandom(7);
  for (const [kind, , pattern] of vendorTokens) {
    const tokens = Array.from({ length: 5 }, () => samplePattern(withoutLookbehind(pattern), next));
    for (const token of tokens) expect(token, kind).toMatch(pattern);
    const text = tokens.map((token) => `The key is "${token}", or not.\n`).join("");
    const whole = redactSpans(text, findSensitiveSpans(text));
    const redactor = new StreamingRedactor();
    const stream = (text.match(/.{1,7}/gs) ?? []).map((piece) => redactor.push(piece)).join("") + redactor.end();
    expect(stream, kind).toBe(whole);
    for (const token of tokens) expect(whole, kind).not.toContain(token);
  }
});

it.each([
  "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxx",
  "sk-use-your-own-key-instead-of-this-one",
  "polar_at_a-day-at-the-sea-without-a-compass",
  "hf_requiredCharacteristicTypesForDisplayMetadata",
])(
  "findSensitiveSpans(), which finds secrets in a text, does not take the placeholder %s for a vendor's token",
  (placeholder) => {
    expect(findSensitiveSpans(`token ${placeholder} `)).toEqual([]);
  },
);

it("format of each vendor's tokens takes linear time for a text that repeats the beginning of such a token", async () => {
  const next = seededRandom(9);
  for (const { kind, pattern, cue } of secretFormats) {
    if (cue || /\(\?[!=<]/.test(withoutLookbehind(pattern))) continue;
    const token = samplePattern(withoutLookbehind(pattern), next);
    for (const end of [4, 6, 8, 12, 20]) {
      const beginning = `${token.slice(0, end)}-`;
      const findAll = (text: string) => Array.from(text.matchAll(new RegExp(pattern, "g")));
      const createText = (length: number) => beginning.repeat(length / beginning.length);
      expect(await growthFactor(findAll, createText, 8_000), `${kind}: ${beginning}`).toBeLessThan(MAX_GROWTH);
    }
  }
});

it("findSensitiveSpans(), which finds secrets in a text, takes linear time for a text full of beginnings of vendors' tokens", async () => {
  const createText = (length: number) => "sk-a-".repeat(length / 5);
  expect(await growthFactor(findSensitiveSpans, createText, 50_000)).toBeLessThan(MAX_GROWTH);
});

it("token of a vendor is found directly before other text without a space", () => {
  const token = "ghp_lt1FDLUiP6SBNT5dZ0UOucFIjdnsKcmaQzTy";
  expect(findSensitiveSpans(token + "A".repeat(200))).toMatchObject([{ from: 0 }, { from: 0 }]);
});

it.each([
  ["\\b(abc_[a-z0-9]{8})(?:[\\x60'\"\\s;]|\\\\[nr]|$)", "abc_[a-z0-9]{8,}"],
  ["(?i)\\b(abc-[a-f0-9]{4}-[a-f0-9]{6})\\b", "abc-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{6,}"],
  ["abc\\.(?i)[a-zA-Z_]{9}", "abc\\.[a-zA-Z_]{9,}"],
  ["abc_[[:alnum:]]{9,12}={0,2}", "abc_[A-Za-z0-9]{9,}={0,2}"],
  ["(?:abc|defg)_(?P<name>x)(?-i:Y)", undefined],
  ["\\b((?:abc|defg)_(?:live|test)_\\w{9})", "(?:abc|defg)_(?:live|test)_\\w{9,}"],
  ["(?i:vendor)[\\s'\"]{0,3}(?:=|:)[\\s]{0,5}(abc_[0-9]{9})", "abc_[0-9]{9,}"],
])("toTokenPattern(), which converts a rule's expression for tokens, returns for %s: %s", (expression, pattern) => {
  expect(toTokenPattern(expression)).toBe(pattern);
});

it.each([
  ["a value that only the words before it announce", "(?i:vendor)[\\s'\"]{0,3}(?:=|:)([0-9a-f]{32})"],
  ["a token with a short prefix", "\\b(SK[0-9a-f]{32})\\b"],
  ["any characters between the parts", "abc_.{1,20}[a-z]{9}"],
  ["an address", "https://[a-z0-9]{8,32}\\.example\\.com"],
  ["a repetition that may be empty", "abc_[a-z]*key[a-z]{9}"],
  ["several tokens", "abc_[a-z]{9}|def_[a-z]{9}"],
])("toTokenPattern(), which converts a rule's expression for tokens, skips %s", (_, expression) => {
  expect(toTokenPattern(expression)).toBeUndefined();
});
