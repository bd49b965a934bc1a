import { setTimeout as sleep } from "node:timers/promises";
import type { ChatCompletionRequest } from "../../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import type { TokenLimit } from "../../governance/budgets/admit-answer.ts";
import { now } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import { type CompleteOptions, type Completion, complete, type GeneratedCompletion } from "./complete.ts";
import type { CompletionAnswer, Delta } from "./completion.ts";
import {
  CLAIM_TTL_MS,
  type CompletionRecord,
  claimCompletion,
  type RetryableRequest,
  recordCompletion,
  releaseClaim,
  renewClaim,
  storeCompletion,
} from "./completion-store.ts";
import { toDeltas } from "./format-completion.ts";

/**
 * Maximum time that a retry waits for the answer to the first request. CloudFront's timeout for the first byte is
 * longer.
 */
const WAIT_TIMEOUT_MS = 20_000;

const POLL_INTERVAL_MS = 400;

/** Completion that may be the stored answer to an earlier request with the same `Idempotency-Key`. */
export interface IdempotentCompletion extends Completion {
  /** True if this is the stored answer to an earlier request. */
  readonly replayed: boolean;
  /** State of the tokens-per-minute limit; null for replays and without such a limit. */
  readonly tokenLimit: TokenLimit | null;
  /** Records the usage. Must be called after the response, even if the client has disconnected. */
  finish(): Promise<void>;
}

const toRecord = (
  principal: ApiKeyPrincipal,
  { endpoint, head, charges, startedAt, answer }: GeneratedCompletion,
): CompletionRecord => ({
  id: head.id,
  key_id: principal.keyId,
  persona_id: endpoint.persona_id,
  persona_version: endpoint.version,
  usage: answer().usage,
  duration_ms: Math.round(performance.now() - startedAt),
  charges,
});

/**
 * Claims a request for `owner`, or waits up to `WAIT_TIMEOUT_MS` for the answer of the owner that claimed it first.
 * @returns the stored answer, or null if `owner` now holds the claim and must generate the answer
 */
async function claimOrAwaitAnswer(
  principal: ApiKeyPrincipal,
  request: RetryableRequest,
  owner: string,
): Promise<CompletionAnswer | null> {
  for (const deadline = now() + WAIT_TIMEOUT_MS; ; await sleep(POLL_INTERVAL_MS)) {
    const claim = await claimCompletion(principal, request, owner);
    if (claim.state === "claimed") return null;
    if (claim.fingerprint !== request.fingerprint) throw new ServiceError("idempotency_key_reused");
    if (claim.state === "done") return JSON.parse(claim.answer) as CompletionAnswer;
    if (now() < deadline) continue;
    throw new ServiceError("idempotency_in_progress", undefined, { headers: { "retry-after": "2" } });
  }
}

async function completeIdempotently(
  principal: ApiKeyPrincipal,
  body: ChatCompletionRequest,
  request: RetryableRequest,
  options: CompleteOptions,
): Promise<IdempotentCompletion> {
  const owner = newId();
  const stored = await claimOrAwaitAnswer(principal, request, owner);
  if (stored) {
    const { head } = stored;
    return {
      head,
      deltas: toDeltas(stored),
      answer: () => stored,
      replayed: true,
      tokenLimit: null,
      finish: async () => {},
    };
  }
  const renewal = setInterval(() => {
    renewClaim(principal, request, owner).catch((error) => log.warn("completion claim renewal failed", { error }));
  }, CLAIM_TTL_MS / 3);
  const release = async () => {
    clearInterval(renewal);
    await releaseClaim(principal, request, owner);
  };
  const generated = await complete(principal, body, options).catch(async (error) => {
    await release();
    throw error;
  });
  let isStored = false;
  async function* storeAtEnd(): AsyncGenerator<Delta, void> {
    yield* generated.deltas;
    const answer = JSON.stringify(generated.answer());
    await storeCompletion(principal, request, owner, answer, toRecord(principal, generated));
    isStored = true;
  }
  return {
    ...generated,
    deltas: storeAtEnd(),
    replayed: false,
    async finish() {
      clearInterval(renewal);
      if (isStored) return;
      // An incomplete answer is billed but not stored, so that a retry can generate a complete one.
      try {
        await recordCompletion(principal, toRecord(principal, generated));
      } finally {
        await release();
      }
    },
  };
}

/**
 * Generates a completion. With an `Idempotency-Key`, the answer is stored and returned to retries, and its usage is
 * recorded once.
 * @param request identity of the request, or null without an `Idempotency-Key`
 * @throws ServiceError `idempotency_key_reused`, `idempotency_in_progress`, and the errors of `complete`
 */
export async function completeOnce(
  principal: ApiKeyPrincipal,
  body: ChatCompletionRequest,
  request: RetryableRequest | null,
  options: CompleteOptions,
): Promise<IdempotentCompletion> {
  if (request) return completeIdempotently(principal, body, request, options);
  const generated = await complete(principal, body, options);
  return {
    ...generated,
    replayed: false,
    finish: () => recordCompletion(principal, toRecord(principal, generated)),
  };
}

/** Consumes all deltas of a completion and returns the complete answer. */
export async function collectAnswer({ deltas, answer }: IdempotentCompletion): Promise<CompletionAnswer> {
  for await (const _ of deltas);
  return answer();
}
