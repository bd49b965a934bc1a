import * as v from "valibot";
import { Usage } from "../api/conversations/messages.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import type { Charges } from "../lib/charges.ts";
import { now } from "../lib/clock.ts";

export const summaryAccess = itemAccess("summary", "query", "put", "deleteMany");

/** Usage of the model call that wrote a summary, counted like that of a reply. Summaries of earlier releases lack it. */
const CountedUsage = v.object({
  /** Id of the model call. */
  id: v.string(),
  asked_by: v.string(),
  persona_id: v.nullable(v.string()),
  /** Null without a model. */
  usage: v.nullable(Usage),
  /** A summary is no request of a user. */
  calls: v.literal(0),
  charges: trusted<Charges>(),
});

/** Summary of the beginning of one branch of a conversation. */
const StoredSummary = v.object({
  /** Last message that the summary contains. */
  until_id: v.string(),
  text: v.string(),
  model: v.string(),
  ...v.partial(CountedUsage).entries,
  /** True if the model had read text of other authors. */
  read_untrusted: v.boolean(),
  created_at: v.string(),
});
export type StoredSummary = v.InferOutput<typeof StoredSummary>;

const readSummary = itemReader(StoredSummary);

/** Number of the latest summaries that are looked at: one for each branch that was summarized lately. */
const MAX_SUMMARIES = 10;

/** Returns the latest summaries of a conversation, the one that reaches furthest first. */
export async function listSummaries(scope: TenantScope, conversationId: string): Promise<StoredSummary[]> {
  const { pk } = keys.summary(scope.tenantId, conversationId, "");
  const items = await tenantTable(scope).query({
    pk,
    prefix: keyPrefixes.summary,
    descending: true,
    limit: MAX_SUMMARIES,
  });
  return items.map(readSummary);
}

/** Deletes the summaries that contain a message, because it is changed or deleted. */
export async function deleteSummariesOf(scope: TenantScope, conversationId: string, messageId: string): Promise<void> {
  const { pk, sk } = keys.summary(scope.tenantId, conversationId, messageId);
  // Ids are in the order of time: a summary contains all messages of its branch up to its last one.
  const items = await tenantTable(scope).query({ pk, between: [sk, `${keyPrefixes.summary}~`], consistent: true });
  await tenantTable(scope).deleteMany(items);
}

/** Stores a summary. One that reaches to the same message is replaced. */
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
