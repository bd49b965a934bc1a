import { beforeEach, expect, it, vi } from "vitest";
import { calculateCostUsd } from "#shared/models/prices.ts";
import { toUsage } from "#shared/models/tokens.ts";

const million = { input: 1_000_000, cached: 0, output: 1_000_000 };

beforeEach(() => {
  for (const name of ["MODELS", "MODEL_PROVIDER", "MODEL_BASE_URL", "MODEL_API_KEY", "MODEL_FALLBACK"]) {
    vi.stubEnv(name, "");
  }
  return () => vi.unstubAllEnvs();
});

it.each([
  ["gpt-4.1-mini-2025-04-14", 2],
  ["gpt-4.1", 10],
  ["anthropic.claude-sonnet-4-5-20250929-v1:0", 18],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 18],
  ["us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0", 18],
  ["jp.anthropic.claude-sonnet-4-5-20250929-v1:0", 18],
  ["global.anthropic.claude-haiku-4-5-20251001-v1:0", 6],
  ["unknown-model", null],
])("calculateCostUsd() charges one million input and one million output tokens of %s at %s USD", (model, dollars) => {
  expect(calculateCostUsd(model, million)).toBe(dollars);
});

it("calculateCostUsd() applies the configured price that is valid today", () => {
  const models = {
    large: {
      provider: "p",
      id: "gpt-4.1",
      prices: [
        { from: "2999-01-01", input: 100, output: 100 },
        { from: "2025-01-01", input: 3, output: 4 },
        { input: 1, output: 1 },
      ],
    },
    listed: { provider: "p", id: "gpt-4.1" },
    free: { provider: "p", id: "gpt-4.1", prices: [] },
  };
  const providers = { p: { type: "openai-compatible", base_url: "http://127.0.0.1/v1" } };
  vi.stubEnv("MODELS", JSON.stringify({ providers, models, tiers: { default: "large" } }));
  expect(calculateCostUsd("large", million)).toBe(7);
  expect(calculateCostUsd("large", { input: 0, cached: 1_000_000, output: 0 })).toBe(3);
  expect(calculateCostUsd("listed", million)).toBe(10);
  expect(calculateCostUsd("free", million)).toBeNull();
});

it.each([
  ["cached tokens that the number of input tokens leaves out", { total: 10, cacheRead: 1_000 }, 0, [1_010, 0.00052]],
  ["written tokens that it leaves out", { total: 10, cacheRead: 100, cacheWrite: 900 }, 0, [1_010, 0.00187]],
  ["negative numbers", { total: -5, cacheRead: -3, cacheWrite: -1 }, -7, [2, 0.000012]],
  ["numbers that are none", { total: Number.NaN, cacheRead: Number.NaN }, Number.NaN, [2, 0.000012]],
])("toUsage() counts no negative costs for %s", (_, inputTokens, output, [tokens, dollars]) => {
  const reported = {
    inputTokens: { noCache: undefined, cacheWrite: undefined, ...inputTokens },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  };
  const usage = toUsage("gpt-4.1", reported, { input: "12345678", output: "1234" });
  expect([usage.input_tokens, usage.cost_usd]).toEqual([tokens, dollars]);
});

it("calculateCostUsd() charges cache writes and cache reads of a provider at their own prices", () => {
  const tokens = { input: 1_000_000, cached: 1_000_000, written: 1_000_000, output: 0 };
  expect(calculateCostUsd("anthropic.claude-sonnet-4-5-20250929-v1:0", tokens)).toBe(3 + 0.3 + 3.75);
  expect(calculateCostUsd("gpt-4.1", tokens)).toBe(2 + 0.5 + 2);
});
