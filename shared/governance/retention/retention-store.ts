import * as v from "valibot";
import type { Policy } from "../../api/governance/policy.ts";
import { readConversation } from "../../conversations/conversation-store.ts";
import { hasCurrentExpiry, retentionDays, toExpirySeconds } from "../../conversations/retention.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { allOf, equals, type Item, isPerformed, lacksAttribute } from "../../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { getCurrentPolicy } from "../policy-store.ts";

/** Reads the attributes of a conversation that determine when it expires. */
const readExpiry = itemReader(
  v.object({
    last_activity_at: v.string(),
    retention_days: v.optional(v.number()),
    ttl: v.optional(v.number()),
    temporary: v.optional(v.boolean()),
  }),
);

/** Returns true if the stored expiry of a conversation matches the policy. */
function isRetained(item: Item, { retention }: Pick<Policy, "retention">): boolean {
  const expiry = readExpiry(item);
  const days = retentionDays(expiry, retention.conversation_days);
  return (expiry.retention_days ?? null) === days && hasCurrentExpiry(expiry);
}

/**
 * Sets the expiry of a conversation as the policy requires. Tries again if there is new activity concurrently. A
 * deleted conversation stays unchanged.
 */
export async function retainConversation(scope: TenantScope, id: string): Promise<void> {
  const key = keys.conversation(scope.tenantId, id);
  for (;;) {
    const [item, policy] = await Promise.all([
      tenantTable(scope).get(key, { consistent: true }),
      getCurrentPolicy(scope),
    ]);
    if (!item || item.deleted || isRetained(item, policy)) return;
    const { last_activity_at, temporary } = readConversation(item);
    const days = retentionDays({ temporary }, policy.retention.conversation_days);
    const isApplied = await isPerformed(
      tenantTable(scope).write({
        update: key,
        set: { retention_days: days ?? undefined, ttl: toExpirySeconds(last_activity_at, days), timestamp: now() },
        remove: days === null ? ["retention_days", "ttl"] : [],
        condition: allOf([lacksAttribute("deleted"), equals({ last_activity_at })]),
      }),
    );
    if (isApplied) return;
  }
}

/** Position of a sweep over all conversations of a tenant, ordered by owner and activity. */
export interface RetentionPosition {
  /** Id of the last user whose conversations are done. */
  readonly user?: string | undefined;
  /** Position within the conversations of the next user: sort key of the last one that is done. */
  readonly activity?: string | undefined;
}

/**
 * Sets the expiry of one page of a tenant's conversations.
 * @returns the position of the next page, or null at the end
 */
export async function retainPage(scope: TenantScope, from: RetentionPosition): Promise<RetentionPosition | null> {
  const table = tenantTable(scope);
  const { gsi1pk: usersKey } = indexKeys.userOfTenant(scope.tenantId, "");
  const [nextUser] = await table.query({ index: "gsi1", pk: usersKey, after: from.user, limit: 1 });
  if (!nextUser) return null;
  const userId = String(nextUser.user_id);
  const { gsi1pk: pk } = indexKeys.conversationByActivity(scope.tenantId, userId, "");
  const items = await table.query({ index: "gsi1", pk, after: from.activity, limit: SWEEP_BATCH_SIZE });
  const conversations = items.filter(({ discriminator }) => discriminator === "conversation").map(readConversation);
  await mapConcurrent(conversations, ({ id }) => retainConversation(scope, id));
  if (items.length < SWEEP_BATCH_SIZE) return { user: userId };
  return { user: from.user, activity: String(items.at(-1)?.gsi1sk) };
}
