import type { Policy } from "../../api/governance/policy.ts";
import { conversationOf } from "../../conversations/conversation-store.ts";
import { endOf, endsInTime, type Retained } from "../../conversations/retention.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { ConditionFailed, type Item } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { policyOf } from "../policy-store.ts";

const retainedOf = (item: Item) => item as unknown as Retained;

/** Whether a conversation's item says that it ends when the policy wants it to. */
function isRetained(item: Item, { retention }: Pick<Policy, "retention">): boolean {
  const { retention_days } = retainedOf(item);
  return (retention_days ?? null) === retention.conversation_days && endsInTime(retainedOf(item));
}

/**
 * Has a conversation end when the policy wants it to. Whatever happens in it meanwhile is looked at again; one that has
 * ended already stays ended.
 */
export async function retainConversation(scope: TenantScope, id: string): Promise<void> {
  const key = keys.conversation(scope.tenantId, id);
  for (;;) {
    const [item, policy] = await Promise.all([tenantTable(scope).get(key, { consistent: true }), policyOf(scope)]);
    if (!item || item.deleted || isRetained(item, policy)) return;
    const { last_activity_at } = conversationOf(item);
    const days = policy.retention.conversation_days;
    try {
      await tenantTable(scope).write({
        update: key,
        set: { retention_days: days ?? undefined, ttl: endOf(last_activity_at, days), timestamp: now() },
        remove: days === null ? ["retention_days", "ttl"] : [],
        condition: {
          where: "attribute_not_exists(#deleted) AND #last_activity_at = :last_activity_at",
          values: { last_activity_at },
        },
      });
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

/** Where the way through all of a tenant's conversations goes on. */
export interface TenantPosition {
  /** Users up to this one are done. */
  readonly user?: string | undefined;
  /** Of the next user, conversations up to this activity are done. */
  readonly activity?: string | undefined;
}

/** Conversations looked at in one step. */
const batch = 100;

/**
 * Has some of a tenant's conversations end when the policy wants them to.
 * @returns where to go on; null when all are done
 */
export async function retainSome(scope: TenantScope, from: TenantPosition): Promise<TenantPosition | null> {
  const table = tenantTable(scope);
  const { gsi1pk } = indexKeys.userOfTenant(scope.tenantId, "");
  const [next] = await table.query({ index: "gsi1", pk: gsi1pk, after: from.user, limit: 1 });
  if (!next) return null;
  const user = String(next.user_id);
  const { gsi1pk: pk } = indexKeys.conversationByActivity(scope.tenantId, user, "");
  const items = await table.query({ index: "gsi1", pk, after: from.activity, limit: batch });
  const own = items.filter(({ discriminator }) => discriminator === "conversation");
  await mapConcurrent(own, (item) => retainConversation(scope, conversationOf(item).id));
  if (items.length < batch) return { user };
  return { user: from.user, activity: String(items.at(-1)?.gsi1sk) };
}
