import { verifyWithAny } from "../../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../../auth/app-secret.ts";
import type { ApiKeyPrincipal } from "../../auth/principal.ts";
import { signId, verifySignedId } from "../../auth/signed-id.ts";
import { itemAccess } from "../../dynamodb/access.ts";
import { keys } from "../../dynamodb/keys.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import { requireActiveTenant } from "../../tenancy/tenant-store.ts";

export const completionCancellationAccess = itemAccess("completionCancellation", "get", "put");

/** Prefix of a completion's id, by API. */
export type IdPrefix = "chatcmpl-" | "cmpl-" | "resp_" | "msg_";

const purposeOf = ({ tenantId, keyId }: ApiKeyPrincipal) => `completion#${tenantId}#${keyId}#`;

/**
 * Creates the id of a completion. Its signature covers the API key, so that `cancelCompletion` can check that an id
 * belongs to the key: the table has no item for a completion that is still being generated.
 */
export async function newCompletionId(principal: ApiKeyPrincipal, prefix: IdPrefix): Promise<string> {
  return prefix + signId((await loadAppSecrets()).current, purposeOf(principal), newId());
}

/** Interval at which a completion looks for its cancellation. Completions that end earlier never do. */
const POLL_INTERVAL_MS = 1_000;

/** Retention of a cancellation, which is longer than a completion takes. */
const CANCELLATION_TTL_SECONDS = 3_600;

/** Creates the error of a completion that was canceled. Clients must not retry it. */
export const completionCanceled = () =>
  new ServiceError("completion_canceled", "The completion was canceled.", { headers: { "x-should-retry": "false" } });

/**
 * Requests that a completion stops. It stops when its function finds the request in the table.
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
 * Polls for the cancellation of a completion and for the suspension of its tenant. An unavailable table does not stop the completion.
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
