import * as v from "valibot";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { absentOrExpired, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../../lib/clock.ts";

/** Response recorded for a request with an `Idempotency-Key`. */
const RecordedResponse = v.object({
  /** Hash of the request, which tells a retry from a different request with the same key. */
  fingerprint: v.string(),
  status: v.number(),
  /** Absent for a response without a body. */
  body: v.optional(v.unknown()),
  headers: v.record(v.string(), v.string()),
});
export type RecordedResponse = v.InferOutput<typeof RecordedResponse>;

const readRecordedResponse = itemReader(RecordedResponse);

/** Time for which a retry still receives the recorded response. */
const ttlSeconds = 24 * 3_600;

export async function findRecordedResponse(
  scope: TenantScope,
  requestId: string,
): Promise<RecordedResponse | undefined> {
  const item = await tenantTable(scope).get(keys.idempotency(scope.tenantId, requestId), { consistent: true });
  return item && readRecordedResponse(item);
}

/**
 * Creates the write that records a response. It must be part of the transaction with the handler's writes.
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
    condition: absentOrExpired((stored) => onConflict(readRecordedResponse(stored ?? {}))),
  };
}
