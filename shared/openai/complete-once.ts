import { setTimeout as sleep } from "node:timers/promises";
import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import type { ApiKeyPrincipal } from "../auth/principal.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { type Completing, complete, type Generating } from "./complete.ts";
import { type CompletionAnswer, type Delta, deltasOf } from "./completion.ts";
import {
  type CompletionRecord,
  claimCompletion,
  claimLasts,
  keepCompletion,
  type RetryableRequest,
  recordCompletion,
  releaseClaim,
  renewClaim,
} from "./completion-store.ts";

/** How long a retry waits for the first request's answer, in milliseconds; less than the edge waits for a first byte. */
const patience = 20_000;
const pause = 400;

/** An answer to be sent, and what is left to do once it was. */
export interface Completion extends Completing {
  /** Whether it was made for an earlier request. */
  readonly replayed: boolean;
  /** Counts what was generated, whether or not anybody stayed to read it. */
  settle(): Promise<void>;
}

const recordOf = (principal: ApiKeyPrincipal, { endpoint, head, answer }: Generating): CompletionRecord => ({
  id: head.id,
  key_id: principal.keyId,
  persona_id: endpoint.persona_id,
  usage: answer().usage,
});

/** The answer that was made for the same request before, or null: then it is this one's to make, under this name. */
async function earlierAnswer(
  principal: ApiKeyPrincipal,
  request: RetryableRequest,
  owner: string,
): Promise<CompletionAnswer | null> {
  for (const deadline = now() + patience; ; await sleep(pause)) {
    const claim = await claimCompletion(principal, request, owner);
    if (claim.state === "claimed") return null;
    if (claim.fingerprint !== request.fingerprint) throw new ServiceError("idempotency_key_reused");
    if (claim.state === "done") return JSON.parse(claim.answer) as CompletionAnswer;
    if (now() < deadline) continue;
    throw new ServiceError("idempotency_in_progress", undefined, { headers: { "retry-after": "2" } });
  }
}

/** An answer that retries get again. */
async function completeForRetries(
  principal: ApiKeyPrincipal,
  body: ChatCompletionRequest,
  request: RetryableRequest,
): Promise<Completion> {
  const owner = newId();
  const earlier = await earlierAnswer(principal, request, owner);
  if (earlier) {
    const { head } = earlier;
    return { head, deltas: deltasOf(earlier), answer: () => earlier, replayed: true, settle: async () => {} };
  }
  const renewal = setInterval(() => {
    renewClaim(principal, request, owner).catch((error) => log.warn("a claim was not renewed", { error }));
  }, claimLasts / 3);
  const release = async () => {
    clearInterval(renewal);
    await releaseClaim(principal, request, owner);
  };
  const generating = await complete(principal, body).catch(async (error) => {
    await release();
    throw error;
  });
  let kept = false;
  async function* keptInTheEnd(): AsyncGenerator<Delta, void> {
    yield* generating.deltas;
    const answer = JSON.stringify(generating.answer());
    await keepCompletion(principal, request, owner, answer, recordOf(principal, generating));
    kept = true;
  }
  return {
    ...generating,
    deltas: keptInTheEnd(),
    replayed: false,
    async settle() {
      clearInterval(renewal);
      if (kept) return;
      // What broke off is no answer: it is counted as far as it went, and a retry may try again.
      try {
        await recordCompletion(principal, recordOf(principal, generating));
      } finally {
        await release();
      }
    },
  };
}

/**
 * Answers a request; with an `Idempotency-Key` once, however often it is sent: neither is generated nor counted twice.
 * @param request null without a key, which then costs nothing
 * @throws ServiceError `idempotency_key_reused`, `idempotency_in_progress`, and as `complete` does
 */
export async function completeOnce(
  principal: ApiKeyPrincipal,
  body: ChatCompletionRequest,
  request: RetryableRequest | null,
): Promise<Completion> {
  if (request) return completeForRetries(principal, body, request);
  const generating = await complete(principal, body);
  return {
    ...generating,
    replayed: false,
    settle: () => recordCompletion(principal, recordOf(principal, generating)),
  };
}

/** The whole of an answer, when it is there. */
export async function wholeOf({ deltas, answer }: Completion): Promise<CompletionAnswer> {
  for await (const _ of deltas);
  return answer();
}
