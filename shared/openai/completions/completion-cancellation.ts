import { verifyWithAny } from "../../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../../auth/app-secret.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { signId, verifySignedId } from "../../auth/signed-id.ts";
import { keys } from "../../dynamodb/keys.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import { requireActiveTenant } from "../../tenancy/tenant-store.ts";

/** Prefix of a completion's id: chat completions, legacy completions, responses and messages API. */
export type IdPrefix = "chatcmpl-" | "cmpl-" | "resp_" | "msg_";

const purposeOf = ({ tenantId, keyId }: ApiKeyPrincipal) => `completion#${tenantId}#${keyId}#`;

/**
 * Creates a signed id for a completion. The signature covers the API key, so that `cancelCompletion` can check that the
 * id belongs to the key without a stored item.
 */
export async function newCompletionId(principal: ApiKeyPrincipal, prefix: IdPrefix): Promise<string> {
  return prefix + signId((await loadAppSecrets()).current, purposeOf(principal), newId());
}

/** Interval between reads of the cancellation item. A completion that ends within one interval never reads it. */
const POLL_INTERVAL_MS = 1_000;

/** Retention of a cancellation item. It must exceed the maximum duration of a completion. */
const CANCELLATION_TTL_SECONDS = 3_600;

/**
 * Creates the error for a canceled completion. Its `x-should-retry: false` header keeps OpenAI's clients from retrying.
 */
export const completionCanceled = () =>
  new ServiceError("completion_canceled", "The completion was canceled.", { headers: { "x-should-retry": "false" } });

/**
 * Stores the request to cancel a completion. The function that generates the completion polls for it
 * (`watchCancellation`).
 * @throws ServiceError `not_found` for an id that was not issued to this API key
 */
export async function cancelCompletion(principal: ApiKeyPrincipal, id: string): Promise<void> {
  const signedId = /^(?:chatcmpl-|cmpl-|resp_|msg_)(.+)$/.exec(id)?.[1];
  const verify = (secret: string) => (signedId ? verifySignedId(secret, purposeOf(principal), signedId) : null);
  if (!verifyWithAny((await loadAppSecrets()).recent, verify)) throw notFound();
  await tenantTable(principal).write({
    put: {
      ...keys.completionCancellation(principal.tenantId, id),
      discriminator: "completion-cancellation",
      ttl: expiresAfter(CANCELLATION_TTL_SECONDS),
    },
  });
}

/**
 * Aborts `controller` when the completion is canceled or its tenant suspended, for which it polls the table. If the
 * table is unavailable, the completion continues.
 * @returns function that ends the polling
 */
export function watchCancellation(principal: ApiKeyPrincipal, id: string, controller: AbortController): () => void {
  const key = keys.completionCancellation(principal.tenantId, id);
  const timer = setInterval(async () => {
    try {
      if (await tenantTable(principal).get(key)) controller.abort(completionCanceled());
      await requireActiveTenant(principal);
    } catch (error) {
      if (error instanceof ServiceError && error.code === "forbidden") controller.abort(error);
      else log.warn("completion cancellation poll failed", { error });
    }
  }, POLL_INTERVAL_MS);
  timer.unref();
  controller.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  return () => clearInterval(timer);
}
