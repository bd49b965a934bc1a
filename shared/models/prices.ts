import { timestamp } from "../lib/clock.ts";
import { findProfileModel } from "./inference-profile.ts";
import type { DatedPrice } from "./model-settings.ts";
import { findModel, type Model } from "./model-table.ts";

/** Prices in US dollars per million tokens, or numbers of tokens, by kind of token. */
interface Price {
  readonly input: number;
  readonly cached: number;
  /** Tokens that the provider writes to its cache; priced like `input` by default. */
  readonly written?: number;
  readonly output: number;
}

/**
 * List prices of November 2025, by prefix of the model id; the longest matching prefix applies. Prices in the setting
 * `MODELS` replace them.
 */
const listPrices: Readonly<Record<string, Price>> = {
  "gpt-4o": { input: 2.5, cached: 1.25, output: 10 },
  "gpt-4o-mini": { input: 0.15, cached: 0.075, output: 0.6 },
  "gpt-4.1": { input: 2, cached: 0.5, output: 8 },
  "gpt-4.1-mini": { input: 0.4, cached: 0.1, output: 1.6 },
  "gpt-4.1-nano": { input: 0.1, cached: 0.025, output: 0.4 },
  "gpt-5": { input: 1.25, cached: 0.125, output: 10 },
  "gpt-5-mini": { input: 0.25, cached: 0.025, output: 2 },
  "gpt-5-nano": { input: 0.05, cached: 0.005, output: 0.4 },
  "anthropic.claude-3-5-haiku": { input: 0.8, cached: 0.08, written: 1, output: 4 },
  "anthropic.claude-haiku-4-5": { input: 1, cached: 0.1, written: 1.25, output: 5 },
  "anthropic.claude-sonnet-4": { input: 3, cached: 0.3, written: 3.75, output: 15 },
  "anthropic.claude-opus-4": { input: 15, cached: 1.5, written: 18.75, output: 75 },
  "amazon.nova-micro": { input: 0.035, cached: 0.00875, output: 0.14 },
  "amazon.nova-lite": { input: 0.06, cached: 0.015, output: 0.24 },
  "amazon.nova-pro": { input: 0.8, cached: 0.2, output: 3.2 },
};

const prefixesLongestFirst = Object.keys(listPrices).sort((a, b) => b.length - a.length);

/** Returns the configured price that applies today; null if there is none. */
function findConfiguredPrice(prices: readonly DatedPrice[]): Price | null {
  const today = timestamp().slice(0, 10);
  const valid = prices.filter(({ from }) => from <= today).sort((a, b) => (a.from < b.from ? -1 : 1));
  const price = valid.at(-1);
  if (!price) return null;
  const { input, cached = input, cached_write: written = input, output } = price;
  return { input, cached, written, output };
}

/** Returns today's price of a model in US dollars per million tokens; null if it is not known. */
export function priceOf({ id, prices }: Pick<Model, "id" | "prices">): Price | null {
  if (prices) return findConfiguredPrice(prices);
  const listedId = findProfileModel(id) ?? id;
  return listPrices[prefixesLongestFirst.find((prefix) => listedId.startsWith(prefix)) ?? ""] ?? null;
}

/** Returns the cost of tokens in US dollars, rounded to six decimals; null if the model's price is not known. */
export function calculateCostUsd(name: string, tokens: Price): number | null {
  // The names of embedding models are not in the table.
  const price = priceOf(findModel(name) ?? { id: name, prices: null });
  if (!price) return null;
  const { input, cached, written = input, output } = price;
  const microdollars =
    tokens.input * input + tokens.cached * cached + (tokens.written ?? 0) * written + tokens.output * output;
  return Math.round(microdollars) / 1_000_000;
}
