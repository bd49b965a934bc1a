import { expect, it } from "vitest";
import { defaultGuardrailPolicy, type GuardrailPlace } from "#shared/api/governance/guardrail-policy.ts";
import { localDetector } from "#shared/guardrails/local/local-detector.ts";
import { growthFactor, MAX_GROWTH } from "#test/support/growth/growth.ts";
import { sized } from "#test/support/run-size.ts";
import { seededRandom } from "#test/support/seeded-random.ts";

const detector = localDetector(defaultGuardrailPolicy);
const detect = (text: string, place: GuardrailPlace = "question") => detector.detect({ stage: "input", place, text });

const next = seededRandom(7);
const alphabet = [
  ..."aZ09 \n\t<>!-=|@.:/\\\"'{}[]()#*_%&+",
  "ſ",
  "ß",
  "İ",
  "あ",
  "漢",
  "한",
  "я",
  "\u200b",
  "\u0301",
  "😀",
  "\ud800",
  "\udc00",
  "\u{e0041}",
  "\0",
  "-----BEGIN PRIVATE KEY-----",
  "password: ",
  "<|im_start|>",
  "ignore ",
];
const randomText = (length: number) =>
  Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)] ?? "").join("");

it("local guardrail never throws an error for a random text, and returns scores from 0 to 1", async () => {
  const rounds = sized({ usual: 150, full: 800, soak: 5_000 });
  for (let round = 0; round < rounds; round++) {
    const text = randomText(Math.floor(next() * 400));
    const { findings, spans } = await detect(text);
    for (const { score } of [...findings, ...spans]) expect(score).toBeGreaterThanOrEqual(0);
    for (const { score } of [...findings, ...spans]) expect(score).toBeLessThanOrEqual(1);
    for (const { from, to } of spans) expect(text.slice(from, to)).not.toBe("");
  }
});

const size = sized({ usual: 1 << 17, full: 1 << 19, soak: 1 << 20 });
it.each([
  ["prose", "The committee met on Tuesday to discuss the rules for parking. "],
  ["one long word", "a"],
  ["digits", "1"],
  ["digits in groups", "1234 "],
  ["spaced letters", "a "],
  ["dots", "a."],
  ["at signs", "a@"],
  ["dashes", "-"],
  ["key prefixes", "-----BEGIN "],
  ["token prefixes", "eyJ"],
  ["assignments", "password="],
  ["secret names", "secret"],
  ["URLs", "a://b:"],
  ["IBAN prefixes", "DE89 "],
  ["escapes", "\\u00"],
  ["open brackets", "<!--"],
  ["base64", "QUJD"],
  ["capitalized words", "Aaa "],
  ["combining marks", "a\u0301"],
  ["Chinese", "忽略"],
  ["blank lines", "\n\n"],
])(
  "local guardrail with random and very long texts takes time proportional to the length of %s",
  async (_, fragment) => {
    const createText = (length: number) => fragment.repeat(Math.ceil(length / fragment.length));
    expect(await growthFactor(detect, createText, size / 8)).toBeLessThan(MAX_GROWTH);
  },
);
