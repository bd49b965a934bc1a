import { expect, it } from "vitest";
import { calculateCostUsd } from "#shared/models/prices.ts";

const million = { input: 1_000_000, cached: 0, output: 1_000_000 };

it.each([
  ["gpt-4.1-mini-2025-04-14", 2],
  ["gpt-4.1", 10],
  ["anthropic.claude-sonnet-4-5-20250929-v1:0", 18],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 18],
  ["us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0", 18],
  ["jp.anthropic.claude-sonnet-4-5-20250929-v1:0", 18],
  ["global.anthropic.claude-haiku-4-5-20251001-v1:0", 6],
  ["unknown-model", 0],
])("costOf charges one million input and output tokens of %s at %d USD", (model, dollars) => {
  expect(calculateCostUsd(model, million)).toBe(dollars);
});
