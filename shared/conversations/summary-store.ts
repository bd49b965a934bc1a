import * as v from "valibot";
import { Usage } from "../api/conversations/messages.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import type { Charges } from "../lib/charges.ts";
import { now } from "../lib/clock.ts";

/** Usage of the model call that wrote a summary, in the form in which the usage of answers is counted. */
const CountedUsage = v.object({
  id: v.string(),
  asked_by: v.string(),
  persona_id: v.nullable(v.string()),
  persona_version: v.nullable(v.number()),
  /** Null if the summary was written without a model. */
  usage: v.nullable(Usage),
  /** Always 0, because a summary is not a request of a user. */
  calls: v.literal(0),
  charges: v.optional(trusted<Charges>()),
});

/** Codes of vectors of the latest messages that a summary covers, for recalls by meaning. */
export interface RecallCodes {
  /** Embedding space of the vectors. */
  readonly space: string;
  readonly ids: readonly string[];
  /** Codes of the messages one after the other, all of the same length. */
  readonly codes: Uint8Array;
}

/** Summary of the oldest messages of one branch of a conversation. */
const StoredSummary = v.object({
  /** Id of the last message that the summary covers. */
  until_id: v.string(),
  text: v.string(),
  model: v.string(),
  ...CountedUsage.entries,
  /** Origins of untrusted text that the model had read. */
  read_origins: v.array(v.string()),
  /** Absent without an embedding provider. */
  recall: v.optional(trusted<RecallCodes>()),
  created_at: v.string(),
});
export type StoredSummary = v.InferOutput<typeof StoredSummary>;

const readSummary = itemReader(StoredSummary);

/**
 * Number of the latest summaries that are read: enough for one of each recently used branch. Each has up to 37 KB of
 * codes.
 */
const MAX_SUMMARIES = 6;

/**
 * Returns the latest summaries of a conversation, the one with the latest last message first.
 * @param untilId latest message that a summary may contain; by default any
 */
export async function listSummaries(
  scope: TenantScope,
  conversationId: string,
  untilId = "~",
): Promise<StoredSummary[]> {
  const { pk, sk } = keys.summary(scope.tenantId, conversationId, untilId);
  const between = [keyPrefixes.summary, sk] as const;
  const items = await tenantTable(scope).query({ pk, between, descending: true, limit: MAX_SUMMARIES });
  return items.map(readSummary);
}

/** Deletes the summaries that contain a message, because the message was changed or deleted. */
export async function deleteSummariesOf(scope: TenantScope, conversationId: string, messageId: string): Promise<void> {
  const { pk, sk } = keys.summary(scope.tenantId, conversationId, messageId);
  // Ids are in the order of time: a summary contains all messages of its branch up to its last one.
  const items = await tenantTable(scope).query({ pk, between: [sk, `${keyPrefixes.summary}~`], consistent: true });
  await tenantTable(scope).deleteMany(items);
}

/** Stores a summary. It replaces a summary with the same last message. */
export async function putSummary(scope: TenantScope, conversationId: string, summary: StoredSummary): Promise<void> {
  await tenantTable(scope).write({
    put: {
      ...keys.summary(scope.tenantId, conversationId, summary.until_id),
      discriminator: "summary",
      timestamp: now(),
      ...summary,
    },
  });
}
