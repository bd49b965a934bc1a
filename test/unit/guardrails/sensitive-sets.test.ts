import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findSensitiveSpans } from "#shared/guardrails/sensitive-data.ts";

const read = <Row>(name: string): Row[] =>
  readFileSync(`test/support/guardrails/${name}`, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Returns the share of a value that findings cover. */
function coverage(text: string, value: string, category: string): number {
  const from = text.indexOf(value);
  const covered = new Set<number>();
  for (const span of findSensitiveSpans(text)) {
    if (span.category !== category) continue;
    for (const { from: start, to } of span.cuts ?? [span]) for (let at = start; at < to; at++) covered.add(at);
  }
  return Array.from(value, (_, at) => covered.has(from + at)).filter(Boolean).length / value.length;
}

it("detection of personal data finds at least 85 % of national numbers and phone numbers, and none in other texts", () => {
  const rows = read<{ text: string; value: string | null }>("personal-data-texts.jsonl");
  const values = rows.flatMap(({ text, value }) => (value === null ? [] : [{ text, value }]));
  const found = values.filter(({ text, value }) => coverage(text, value, "personal_data") > 0.8);
  expect(found.length / values.length).toBeGreaterThan(0.85);
  expect(rows.filter(({ text, value }) => value === null && findSensitiveSpans(text).length > 0)).toEqual([]);
});

it("detection of secrets finds at least 80 % of the secrets that people and files state, and none in other texts", () => {
  const rows = read<{ text: string; secret: string | null }>("secret-texts.jsonl");
  const secrets = rows.flatMap(({ text, secret }) => (secret === null ? [] : [{ text, secret }]));
  const found = secrets.filter(({ text, secret }) => coverage(text, secret, "secrets") > 0.8);
  expect(found.length / secrets.length).toBeGreaterThan(0.8);
  const isSecret = ({ category }: { category: string }) => category === "secrets";
  expect(rows.filter(({ text, secret }) => secret === null && findSensitiveSpans(text).some(isSecret))).toEqual([]);
});

it.each([
  [1, 0.85],
  [2, 0.66],
])(
  "detection of secrets finds those that people of 27 languages state in set %i, and none in its other texts",
  (set, share) => {
    const all = read<{ set: number; text: string; secret: string | null }>("stated-secret-texts.jsonl");
    const rows = all.filter((row) => row.set === set);
    const secrets = rows.flatMap(({ text, secret }) => (secret === null ? [] : [{ text, secret }]));
    const found = secrets.filter(({ text, secret }) => coverage(text, secret, "secrets") > 0.8);
    expect(found.length / secrets.length).toBeGreaterThan(share);
    const isSecret = ({ category }: { category: string }) => category === "secrets";
    expect(rows.filter(({ text, secret }) => secret === null && findSensitiveSpans(text).some(isSecret))).toEqual([]);
  },
);

it.each([
  [1, 0.79],
  [2, 0.86],
])(
  "detection of personal data finds numbers as people of 60 countries write them in set %i, and few others",
  (set, share) => {
    const all = read<{ set: number; text: string; value: string | null }>("stated-personal-data-texts.jsonl");
    const rows = all.filter((row) => row.set === set);
    const values = rows.flatMap(({ text, value }) => (value === null ? [] : [{ text, value }]));
    const found = values.filter(({ text, value }) => coverage(text, value, "personal_data") > 0.8);
    expect(found.length / values.length).toBeGreaterThan(share);
    const reported = rows.filter(({ text, value }) => value === null && findSensitiveSpans(text).length > 0);
    expect(reported.length).toBeLessThan(3);
  },
);

it("detection of secrets and personal data ends for letters beyond the Basic Multilingual Plane", () => {
  for (const text of [
    "\u{1d4b3}@icon.png",
    "password of \u{1d4b3}\u{1d4b3}\u{1d4b3}\u{1d4b3}: \u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}",
  ]) {
    expect(findSensitiveSpans(text)).toEqual([]);
  }
});

it.each(["4242 4242 4242 4242", "4111111111111111", "DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"])(
  "detection of personal data does not report the published test number %s",
  (text) => {
    expect(findSensitiveSpans(text)).toEqual([]);
  },
);
