import type { Grant } from "../../api/conversations/sharing.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import { ConditionFailed, type Item, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { changedConcurrently, notFound } from "../../lib/errors.ts";

/** A grant as it is kept: in the grantee's list of conversations it stands where the conversation was last active. */
export interface StoredGrant extends Grant {
  readonly last_activity_at: string;
}

/** The grant of an item. */
export const grantOf = (item: Item) => item as unknown as StoredGrant;

const prefix = "grant#";

/** What the owner has granted to the user in a conversation, or undefined. */
export async function findGrant(scope: TenantScope, conversationId: string, userId: string) {
  const item = await tenantTable(scope).get(keys.grant(scope.tenantId, conversationId, userId), { consistent: true });
  return item && grantOf(item);
}

/** From the first grant on the conversation knows that it is shared, so that what happens in others costs no look for grants. */
const sharedWrite = (scope: TenantScope, { conversation_id }: Grant): Write => ({
  update: keys.conversation(scope.tenantId, conversation_id),
  set: { shared: true, timestamp: now() },
  condition: { where: "attribute_exists(#pk) AND attribute_not_exists(#deleted)", onConditionFailed: notFound },
});

const itemOf = (scope: TenantScope, grant: StoredGrant): Item => ({
  ...keys.grant(scope.tenantId, grant.conversation_id, grant.user_id),
  ...indexKeys.conversationByActivity(scope.tenantId, grant.user_id, grant.last_activity_at),
  discriminator: "grant",
  timestamp: now(),
  ...grant,
});

/**
 * The writes that grant something for the first time.
 * @param exists what to throw where the user has a grant already
 */
export function newGrantWrites(scope: TenantScope, grant: StoredGrant, exists: (found: Item) => Error): Write[] {
  return [
    sharedWrite(scope, grant),
    {
      put: itemOf(scope, grant),
      condition: {
        where: "attribute_not_exists(#pk)",
        onConditionFailed: (found) => (found ? exists(found) : notFound()),
      },
    },
  ];
}

/**
 * The writes that grant something for a time; what was granted for good stays as it is.
 * @param until epoch milliseconds
 */
export async function lentGrantWrites(scope: TenantScope, grant: StoredGrant, until: number): Promise<Write[]> {
  const found = await findGrant(scope, grant.conversation_id, grant.user_id);
  if (found && !("ttl" in found)) return [];
  return [
    sharedWrite(scope, grant),
    {
      put: { ...itemOf(scope, grant), ttl: Math.ceil(until / 1_000) },
      condition: {
        where: "attribute_not_exists(#pk) OR attribute_exists(#ttl)",
        onConditionFailed: () => changedConcurrently("The conversation"),
      },
    },
  ];
}

/** The write that changes what is granted. */
export function changedGrantWrite(scope: TenantScope, grant: Grant): Write {
  return {
    update: keys.grant(scope.tenantId, grant.conversation_id, grant.user_id),
    set: { permission: grant.permission, granted_by: grant.granted_by, timestamp: now() },
    // What was lent for a time is given for good.
    remove: ["ttl"],
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  };
}

/**
 * Grants of a conversation by user id.
 * @throws ServiceError `invalid_cursor`
 */
export async function listGrants(
  scope: TenantScope,
  conversationId: string,
  request: PageRequest,
): Promise<Page<Grant>> {
  const { pk } = keys.grant(scope.tenantId, conversationId, "");
  const list = { list: "grants", filters: { conversationId }, pk, prefix, consistent: true };
  const { entries, next } = await listPage(scope, list, request);
  return { entries: entries.map(grantOf), next };
}

/** @throws ServiceError `not_found` */
export async function deleteGrant(scope: TenantScope, conversationId: string, userId: string): Promise<void> {
  await tenantTable(scope).write({
    delete: keys.grant(scope.tenantId, conversationId, userId),
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  });
}

/** Grants moved at the same time. */
const atOnce = 25;

/** Moves a conversation in the lists of everybody it is shared with; never back, in whichever order changes arrive. */
export async function moveGrants(
  scope: TenantScope,
  conversation: { readonly id: string; readonly last_activity_at: string },
): Promise<void> {
  const table = tenantTable(scope);
  const { id, last_activity_at: at } = conversation;
  const grants = await table.query({ pk: keys.grant(scope.tenantId, id, "").pk, prefix, consistent: true });
  const move = async ({ user_id }: StoredGrant) => {
    try {
      await table.write({
        update: keys.grant(scope.tenantId, id, user_id),
        set: { ...indexKeys.conversationByActivity(scope.tenantId, user_id, at), last_activity_at: at },
        condition: { where: "#last_activity_at < :at", values: { at } },
      });
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  };
  for (let start = 0; start < grants.length; start += atOnce) {
    await Promise.all(grants.slice(start, start + atOnce).map((item) => move(grantOf(item))));
  }
}

/** A fresh grant. */
export function newGrant(
  conversation: { readonly id: string; readonly last_activity_at: string },
  { user_id, permission }: Pick<Grant, "user_id" | "permission">,
  grantedBy: string,
): StoredGrant {
  return {
    conversation_id: conversation.id,
    user_id,
    permission,
    granted_by: grantedBy,
    created_at: timestamp(),
    last_activity_at: conversation.last_activity_at,
  };
}
