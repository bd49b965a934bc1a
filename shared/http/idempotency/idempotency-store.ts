import { keys } from "../../dynamodb/keys.ts";
import { vacant, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tableOf } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../../lib/clock.ts";

/** The answer that a request with an `Idempotency-Key` got. */
export interface RecordedResponse {
  /** Hash of the request, to tell a retry from a different request under the same key. */
  readonly fingerprint: string;
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** How long an answer is kept for retries, in seconds. */
const ttlSeconds = 24 * 3_600;

/** The answer recorded for a request, if any. */
export async function findRecordedResponse(scope: TenantScope, request: string): Promise<RecordedResponse | undefined> {
  const item = await tableOf(scope).get(keys.idempotency(scope.tenantId, request), { consistent: true });
  return item as unknown as RecordedResponse | undefined;
}

/**
 * The write that records an answer; it belongs in the transaction of the effect.
 * @param otherwise what to throw when the request was answered before
 */
export function recordResponseWrite(
  scope: TenantScope,
  request: string,
  answer: RecordedResponse,
  otherwise: (earlier: RecordedResponse) => Error,
): Write {
  return {
    put: {
      ...keys.idempotency(scope.tenantId, request),
      discriminator: "idempotency",
      ttl: expiresAfter(ttlSeconds),
      ...answer,
    },
    condition: vacant((found) => otherwise(found as unknown as RecordedResponse)),
  };
}
