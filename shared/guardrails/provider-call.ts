import { createHash } from "node:crypto";
import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";

/** Maximum number of cached results in one execution environment. The key is a hash of the request. */
const MAX_CACHED_RESULTS = 1_000;

/** Cache TTL of results, because the provider's configuration may change. */
const CACHE_TTL_MS = 10 * 60_000;

/**
 * Maximum length of the text in one request. Bedrock counts 1,000 characters as a text unit, and the default quota is 25
 * units per second; ShieldGemma reads 8,192 tokens.
 */
const MAX_REQUEST_CHARACTERS = 20_000;

const cache = new Map<string, { readonly result: Promise<unknown>; readonly expiresAt: number }>();

/** Returns a promise that rejects when the signal is aborted, for clients that cannot be aborted. */
const rejectOnAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

/** Request to a guardrail provider, with its cache key. */
interface ProviderCall<Result> {
  /** Values that determine the result, such as the model and the text. */
  readonly key: readonly unknown[];
  ask(signal: AbortSignal): Promise<Result>;
}

function callCached<Result>({ key, ask }: ProviderCall<Result>, timeoutMs: number): Promise<Result> {
  const hash = createHash("sha256").update(JSON.stringify(key)).digest("base64url");
  const cached = cache.get(hash);
  if (cached && cached.expiresAt > now()) return cached.result as Promise<Result>;
  const signal = AbortSignal.timeout(timeoutMs);
  const result = Promise.race([ask(signal), rejectOnAbort(signal)]);
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED_RESULTS && oldest !== undefined) cache.delete(oldest);
  cache.set(hash, { result, expiresAt: now() + CACHE_TTL_MS });
  result.catch(() => cache.delete(hash));
  return result;
}

/**
 * Sends a request to a provider with the timeout `GUARDRAIL_TIMEOUT_MS`. Results are cached, and equal concurrent
 * requests are sent once.
 * @returns the result, or undefined if the provider failed and the policy or `GUARDRAIL_FAILURE` lets texts pass in
 * this case
 */
export async function callProvider<Result>(
  { on_provider_failure }: Pick<GuardrailPolicy, "on_provider_failure">,
  call: ProviderCall<Result>,
): Promise<Result | undefined> {
  const { GUARDRAIL_TIMEOUT_MS, GUARDRAIL_FAILURE } = env("GUARDRAIL_TIMEOUT_MS", "GUARDRAIL_FAILURE");
  try {
    return await callCached(call, Number(GUARDRAIL_TIMEOUT_MS));
  } catch (error) {
    const onFailure = on_provider_failure ?? (GUARDRAIL_FAILURE === "open" ? "allow" : "block");
    if (onFailure === "block") {
      throw new ServiceError("unavailable", "The safety check is temporarily unavailable.", { cause: error });
    }
    log.error("guardrail provider failed", { error });
    return undefined;
  }
}

/**
 * Splits a text into segments of at most `MAX_REQUEST_CHARACTERS`, without splitting surrogate pairs. An empty text is
 * one empty segment.
 */
export function splitText(text: string): string[] {
  const segments: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + MAX_REQUEST_CHARACTERS, text.length);
    if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1] ?? "")) to--;
    segments.push(text.slice(from, to));
    from = to;
  }
  return segments.length > 0 ? segments : [""];
}
