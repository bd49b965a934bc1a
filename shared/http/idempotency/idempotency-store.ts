import { keys } from "../../dynamodb/keys.ts";
import { absentOrExpired, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../../lib/clock.ts";

/** Response recorded for a request with an `Idempotency-Key`. */
export interface RecordedResponse {
  /** Hash of the request, to distinguish a retry from a different request with the same key. */
  readonly fingerprint: string;
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Retention of recorded responses. */
const ttlSeconds = 24 * 3_600;

/** Finds the response recorded for a request id. */
export async function findRecordedResponse(
  scope: TenantScope,
  requestId: string,
): Promise<RecordedResponse | undefined> {
  const item = await tenantTable(scope).get(keys.idempotency(scope.tenantId, requestId), { consistent: true });
  return item as unknown as RecordedResponse | undefined;
}

/**
 * Creates the write that records a response; it must be part of the transaction with the handler's writes.
 * @param onConflict creates the error to throw if a response is already recorded
 */
export function recordResponseWrite(
  scope: TenantScope,
  requestId: string,
  response: RecordedResponse,
  onConflict: (stored: RecordedResponse) => Error,
): Write {
  return {
    put: {
      ...keys.idempotency(scope.tenantId, requestId),
      discriminator: "idempotency",
      ttl: expiresAfter(ttlSeconds),
      ...response,
    },
    condition: absentOrExpired((stored) => onConflict(stored as unknown as RecordedResponse)),
  };
}
