import * as v from "valibot";
import { Grant } from "../../api/conversations/sharing.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { indexKeys, keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import { deleteExistingItem } from "../../dynamodb/required-item.ts";
import {
  absent,
  anyOf,
  exists,
  hasAttribute,
  type Item,
  ignoreConditionFailed,
  lessThan,
  notDeleted,
  type Write,
} from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { changedConcurrently, notFound } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";

const StoredGrant = v.object({
  ...Grant.entries,
  /** Activity of the conversation, by which the list of the grantee is sorted. */
  last_activity_at: v.string(),
  /** Expiry of a temporary grant, in epoch seconds. Absent in a permanent one. */
  ttl: v.optional(v.number()),
});
type StoredGrant = v.InferOutput<typeof StoredGrant>;

export const readGrant = itemReader(StoredGrant);

export async function findGrant(scope: TenantScope, conversationId: string, userId: string) {
  const item = await tenantTable(scope).get(keys.grant(scope.tenantId, conversationId, userId), { consistent: true });
  return item && readGrant(item);
}

/**
 * Returns the write that marks a conversation as shared, because the rule `move-grants` looks for grants only in such
 * conversations. Fails with `not_found` if it was deleted.
 */
const markSharedWrite = (scope: TenantScope, { conversation_id }: Grant): Write => ({
  update: keys.conversation(scope.tenantId, conversation_id),
  set: { shared: true, timestamp: now() },
  condition: notDeleted(notFound),
});

const toItem = (scope: TenantScope, grant: StoredGrant): Item => ({
  ...keys.grant(scope.tenantId, grant.conversation_id, grant.user_id),
  ...indexKeys.conversationByActivity(scope.tenantId, grant.user_id, grant.last_activity_at),
  discriminator: "grant",
  timestamp: now(),
  ...grant,
});

/**
 * Returns the writes that store a grant.
 * @param toExistsError returns the error to throw if the user already has a grant; `not_found` is thrown instead if the
 * conversation was deleted, or if the table does not return the grant
 */
export function newGrantWrites(
  scope: TenantScope,
  grant: StoredGrant,
  toExistsError: (existing: Item) => Error,
): Write[] {
  return [
    markSharedWrite(scope, grant),
    {
      put: toItem(scope, grant),
      condition: absent((existing) => (existing ? toExistsError(existing) : notFound())),
    },
  ];
}

/**
 * Returns the writes that store or extend a temporary grant; none if the user has a permanent one.
 * @param expiresAt epoch milliseconds
 */
export async function temporaryGrantWrites(
  scope: TenantScope,
  grant: StoredGrant,
  expiresAt: number,
): Promise<Write[]> {
  const existing = await findGrant(scope, grant.conversation_id, grant.user_id);
  if (existing && existing.ttl === undefined) return [];
  return [
    markSharedWrite(scope, grant),
    {
      put: { ...toItem(scope, grant), ttl: Math.ceil(expiresAt / 1_000) },
      condition: anyOf([absent(), hasAttribute("ttl")], () => changedConcurrently("The conversation")),
    },
  ];
}

/**
 * Returns the write that changes the permission of a grant and makes a temporary one permanent. Fails with `not_found`
 * if the grant was deleted.
 */
export function updateGrantWrite(scope: TenantScope, grant: Grant): Write {
  return {
    update: keys.grant(scope.tenantId, grant.conversation_id, grant.user_id),
    set: { permission: grant.permission, granted_by: grant.granted_by, timestamp: now() },
    // A temporary grant becomes permanent.
    remove: ["ttl"],
    condition: exists(notFound),
  };
}

/**
 * Lists the grants of a conversation in the order of user ids.
 * @throws ServiceError `invalid_cursor`
 */
export async function listGrants(
  scope: TenantScope,
  conversationId: string,
  request: PageRequest,
): Promise<Page<Grant>> {
  const { pk } = keys.grant(scope.tenantId, conversationId, "");
  const list = { list: "grants", filters: { conversationId }, pk, prefix: keyPrefixes.grant, consistent: true };
  return mapPage(await listPage(scope, list, request), readGrant);
}

/** @throws ServiceError `not_found` */
export async function deleteGrant(scope: TenantScope, conversationId: string, userId: string): Promise<void> {
  await deleteExistingItem(scope, keys.grant(scope.tenantId, conversationId, userId));
}

/** Time for which a grant keeps the same time of reading, so that a reader costs at most one write an hour. */
const READING_MS = 3_600_000;

/** Records that a grantee reads the conversation. Best-effort: a failure is logged and does not fail the request. */
export async function recordReading(scope: TenantScope, grant: StoredGrant): Promise<void> {
  const { conversation_id, user_id, last_read_at } = grant;
  if (last_read_at !== null && Date.parse(last_read_at) > now() - READING_MS) return;
  try {
    await tenantTable(scope).write({
      update: keys.grant(scope.tenantId, conversation_id, user_id),
      set: { last_read_at: timestamp() },
      condition: exists(),
    });
  } catch (error) {
    log.warn("reading of a conversation was not recorded", { conversation_id, user_id, error });
  }
}

const MAX_CONCURRENT_UPDATES = 25;

/**
 * Sets the last activity in all grants of a conversation, by which the lists of the grantees are sorted. Older values,
 * from events out of order, are ignored.
 */
export async function updateGrantActivity(
  scope: TenantScope,
  conversation: { readonly id: string; readonly last_activity_at: string },
): Promise<void> {
  const table = tenantTable(scope);
  const { id, last_activity_at } = conversation;
  const { pk } = keys.grant(scope.tenantId, id, "");
  const grants = (await table.query({ pk, prefix: keyPrefixes.grant, consistent: true })).map(readGrant);
  const updateActivity = ({ user_id }: StoredGrant) =>
    table
      .write({
        update: keys.grant(scope.tenantId, id, user_id),
        set: { ...indexKeys.conversationByActivity(scope.tenantId, user_id, last_activity_at), last_activity_at },
        condition: lessThan({ last_activity_at }),
      })
      .catch(ignoreConditionFailed);
  for (let start = 0; start < grants.length; start += MAX_CONCURRENT_UPDATES) {
    await Promise.all(grants.slice(start, start + MAX_CONCURRENT_UPDATES).map(updateActivity));
  }
}

/** Returns a new grant that is not stored yet. */
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
    last_read_at: null,
    last_activity_at: conversation.last_activity_at,
  };
}
