import * as v from "valibot";
import type { Conversation } from "../../api/conversations/conversations.ts";
import { type LinkLifetime, ShareLink } from "../../api/conversations/sharing.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { indexKeys, keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import { requireItem } from "../../dynamodb/required-item.ts";
import { absent, anyOf, equals, exists, type Item, notDeleted, type Write } from "../../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { retentionDays, toExpirySeconds } from "../retention.ts";

const StoredShareLink = v.object({
  ...v.omit(ShareLink, ["status"]).entries,
  conversation_id: v.string(),
  /** Owner of the conversation. */
  owner_id: v.string(),
  hash: v.string(),
  revoked_at: v.nullable(v.string()),
});
/** Share link without `status`, which depends on the current time. */
export type StoredShareLink = v.InferOutput<typeof StoredShareLink>;

const SharedView = v.object({
  tenant_id: v.string(),
  conversation_id: v.string(),
  link_id: v.string(),
  created_at: v.string(),
  expires_at: v.string(),
});
/** Item that is found by the hash of a link's token. It is deleted when the link is revoked or expires. */
export type SharedView = v.InferOutput<typeof SharedView>;

const HOUR_MS = 3_600_000;
const lifetimesMs: Readonly<Record<LinkLifetime, number>> = {
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
  "30d": 30 * 24 * HOUR_MS,
};

/** Time for which an expired link stays in the list of its conversation. */
const EXPIRED_LINK_RETENTION_MS = 30 * 24 * HOUR_MS;

const toSeconds = (milliseconds: number) => Math.ceil(milliseconds / 1_000);

const prefix = keyPrefixes.shareLink;

const readStoredShareLink = itemReader(StoredShareLink);
const readSharedView = itemReader(SharedView);

function readShareLink(item: Item): StoredShareLink & ShareLink {
  const link = readStoredShareLink(item);
  const isExpired = Date.parse(link.expires_at) <= now();
  return { ...link, status: link.revoked_at ? "revoked" : isExpired ? "expired" : "active" };
}

export type LinkIdentity = Pick<StoredShareLink, "link_id" | "hash">;

/** Returns a new link that is not stored yet. That of a temporary conversation expires with it at the latest. */
export function newShareLink(
  {
    id,
    owner_id,
    last_activity_at,
    temporary,
  }: Pick<Conversation, "id" | "owner_id" | "last_activity_at" | "temporary">,
  expiresIn: LinkLifetime,
  { link_id, hash }: LinkIdentity,
): StoredShareLink {
  const at = now();
  const endsAtSeconds = toExpirySeconds(last_activity_at, retentionDays({ temporary }, null)) ?? Infinity;
  return {
    link_id,
    conversation_id: id,
    owner_id,
    hash,
    expires_in: expiresIn,
    expires_at: timestamp(Math.min(at + lifetimesMs[expiresIn], endsAtSeconds * 1_000)),
    revoked_at: null,
    views: 0,
    last_viewed_at: null,
    created_at: timestamp(at),
  };
}

/** Returns the writes that store a link: an item for the list of its owner, and the lookup by the hash of its token. */
export function newShareLinkWrites(scope: TenantScope, link: StoredShareLink): Write[] {
  const { tenantId } = scope;
  const { link_id, conversation_id, owner_id, created_at, expires_at } = link;
  const expiresAtMs = Date.parse(expires_at);
  const view: SharedView = { tenant_id: tenantId, conversation_id, link_id, created_at, expires_at };
  return [
    {
      check: keys.conversation(tenantId, conversation_id),
      condition: notDeleted(notFound),
    },
    {
      put: {
        ...keys.shareLink(tenantId, conversation_id, link_id),
        ...indexKeys.shareLinkOfUser(tenantId, owner_id, link_id),
        discriminator: "share-link",
        timestamp: now(),
        ttl: toSeconds(expiresAtMs + EXPIRED_LINK_RETENTION_MS),
        ...link,
      },
    },
    { put: { ...keys.sharedView(link.hash), discriminator: "shared-view", ttl: toSeconds(expiresAtMs), ...view } },
  ];
}

/**
 * Lists the share links of a conversation, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listShareLinks(
  scope: TenantScope,
  conversationId: string,
  request: PageRequest,
): Promise<Page<ShareLink>> {
  const { pk } = keys.shareLink(scope.tenantId, conversationId, "");
  const list = { list: "links", filters: { conversationId }, pk, prefix, descending: true, consistent: true };
  return mapPage(await listPage(scope, list, request), readShareLink);
}

/** Maximum number of a user's share links that are listed, from the newest on. */
const MAX_LINKS_OF_USER = 100;

/** Returns the latest share links of a user's conversations that are neither revoked nor expired. */
export async function listLinksOfUser(scope: TenantScope, userId: string): Promise<(StoredShareLink & ShareLink)[]> {
  const { gsi1pk: pk } = indexKeys.shareLinkOfUser(scope.tenantId, userId, "");
  const items = await tenantTable(scope).query({ index: "gsi1", pk, descending: true, limit: MAX_LINKS_OF_USER });
  return items.map(readShareLink).filter(({ status }) => status === "active");
}

/** @throws ServiceError `not_found` */
export async function getShareLink(scope: TenantScope, conversationId: string, linkId: string) {
  const key = keys.shareLink(scope.tenantId, conversationId, linkId);
  return readShareLink(await requireItem(scope, key));
}

/** Returns the write that deletes the lookup of a token. Succeeds also if the lookup has already expired. */
const deleteViewWrite = (scope: TenantScope, hash: string): Write => ({
  delete: keys.sharedView(hash),
  condition: anyOf([absent(), equals({ tenant_id: scope.tenantId })]),
});

/**
 * Revokes a link with immediate effect.
 * @throws ServiceError `not_found`
 */
export async function revokeShareLink(scope: TenantScope, conversationId: string, linkId: string): Promise<void> {
  const { hash } = await getShareLink(scope, conversationId, linkId);
  await tenantTable(scope).transact([
    {
      update: keys.shareLink(scope.tenantId, conversationId, linkId),
      set: { revoked_at: timestamp(), timestamp: now() },
      condition: exists(notFound),
    },
    deleteViewWrite(scope, hash),
  ]);
}

/** Deletes the share links of a deleted conversation, and the lookups of their tokens. */
export async function purgeShareLinks(scope: TenantScope, conversationId: string): Promise<void> {
  const table = tenantTable(scope);
  const links = await table.query({ pk: keys.shareLink(scope.tenantId, conversationId, "").pk, prefix });
  for (const { hash } of links.map(readShareLink)) await table.write(deleteViewWrite(scope, hash));
  await table.deleteMany(links);
}

/**
 * Returns the lookup of a token, or undefined if it was revoked or has expired. The read is strongly consistent, so
 * that a revocation takes effect immediately.
 */
export async function findSharedView(hash: string): Promise<SharedView | undefined> {
  const item = await systemTable().get(keys.sharedView(hash), { consistent: true });
  const view = item && readSharedView(item);
  return view && Date.parse(view.expires_at) > now() ? view : undefined;
}

/** Records a view of a link. Best-effort: a failure is logged and does not fail the request. */
export async function countView({ tenant_id, conversation_id, link_id }: SharedView): Promise<void> {
  try {
    await tenantTable({ tenantId: tenant_id }).write({
      update: keys.shareLink(tenant_id, conversation_id, link_id),
      add: { views: 1 },
      set: { last_viewed_at: timestamp() },
      condition: exists(),
    });
  } catch (error) {
    log.warn("share link view count failed", { link_id, error });
  }
}
