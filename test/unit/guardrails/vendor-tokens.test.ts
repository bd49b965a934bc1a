import { expect, it } from "vitest";
import { findSensitiveSpans } from "#shared/guardrails/sensitive-data.ts";
import { toTokenPattern } from "../../../infra/secret-formats/token-pattern.ts";

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
