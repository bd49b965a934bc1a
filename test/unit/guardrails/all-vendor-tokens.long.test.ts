import { expect, it } from "vitest";
import { secretFormats } from "#shared/guardrails/secrets/secret-formats.ts";
import { vendorTokens } from "#shared/guardrails/secrets/vendor-tokens.ts";
import { findSensitiveSpans } from "#shared/guardrails/sensitive-data.ts";
import { redactSpans } from "#shared/guardrails/spans.ts";
import { StreamingRedactor } from "#shared/guardrails/streaming-redactor.ts";
import { growthFactor, MAX_GROWTH } from "#test/support/growth/growth.ts";
import { samplePattern } from "#test/support/sample-pattern.ts";
import { seededRandom } from "#test/support/seeded-random.ts";

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
