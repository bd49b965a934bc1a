import * as v from "valibot";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { absent, exists } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";

/** Retention of the records of calls. The audit trail keeps their events longer. */
const TTL_SECONDS = 90 * 86_400;

/** Number of the newest calls of a conversation that are searched for calls without a known outcome. */
const MAX_RECENT_CALLS = 30;

/** Record of a call to a tool server. It is stored before the request is sent, so that a crash leaves a record. */
const StoredToolCall = v.object({
  id: v.string(),
  message_id: v.string(),
  conversation_id: v.string(),
  user_id: v.string(),
  server_id: v.string(),
  server_name: v.string(),
  tool: v.string(),
  definition_hash: v.string(),
  /** First characters of the arguments. */
  input: v.string(),
  /**
   * `asked`: the server has asked the user a question before it executes the call. `unknown`: no response arrived.
   * `acknowledged`: the outcome is unknown, and the user has agreed to another call since.
   */
  status: v.picklist(["started", "asked", "done", "failed", "unknown", "acknowledged"]),
  started_at: v.string(),
  duration_ms: v.nullable(v.number()),
});
export type StoredToolCall = v.InferOutput<typeof StoredToolCall>;

const readToolCall = itemReader(StoredToolCall);

const keyOf = ({ tenantId }: TenantScope, { conversation_id, id }: StoredToolCall) =>
  keys.toolCall(tenantId, conversation_id, id);

/**
 * Stores the record of a call before its request is sent.
 * @throws ConditionFailed if a record with this id exists
 */
export async function storeToolCall(scope: TenantScope, call: StoredToolCall): Promise<void> {
  await tenantTable(scope).write({
    put: {
      ...keyOf(scope, call),
      discriminator: "tool-call",
      timestamp: now(),
      ttl: expiresAfter(TTL_SECONDS),
      ...call,
    },
    condition: absent(),
  });
}

export async function endToolCall(
  scope: TenantScope,
  call: StoredToolCall,
  outcome: Pick<StoredToolCall, "status"> & Partial<Pick<StoredToolCall, "duration_ms">>,
): Promise<void> {
  await tenantTable(scope).write({
    update: keyOf(scope, call),
    set: { ...outcome, timestamp: now() },
    condition: exists(),
  });
}

/**
 * Returns those of the newest calls of a conversation whose outcome is unknown, because their function died or no
 * response arrived.
 */
export async function listUnresolvedCalls(scope: TenantScope, conversationId: string): Promise<StoredToolCall[]> {
  const { pk } = keys.toolCall(scope.tenantId, conversationId, "");
  const items = await tenantTable(scope).query({
    pk,
    prefix: keyPrefixes.toolCall,
    limit: MAX_RECENT_CALLS,
    descending: true,
    consistent: true,
  });
  return items.map(readToolCall).filter(({ status }) => status === "started" || status === "unknown");
}
