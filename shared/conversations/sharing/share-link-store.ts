import type { LinkLifetime, ShareLink } from "../../api/conversations/sharing.ts";
import { keys } from "../../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import type { Item, Write } from "../../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";

/** A link as its conversation's owner keeps it; how it stands follows from the time. */
export interface StoredShareLink extends Omit<ShareLink, "status"> {
  readonly conversation_id: string;
  /** What its token is found by. */
  readonly hash: string;
  readonly revoked_at: string | null;
}

/** What a token leads to, as long as it leads anywhere. */
export interface SharedView {
  readonly tenant_id: string;
  readonly conversation_id: string;
  readonly link_id: string;
  readonly created_at: string;
  readonly expires_at: string;
}

const hour = 3_600_000;
const lifetimes: Readonly<Record<LinkLifetime, number>> = {
  "1h": hour,
  "24h": 24 * hour,
  "7d": 7 * 24 * hour,
  "30d": 30 * 24 * hour,
};

/** How long a link is listed after its time, in milliseconds. */
const listedAfterwards = 30 * 24 * hour;

const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1_000);

const prefix = "link#";

function linkOf(item: Item): StoredShareLink & ShareLink {
  const link = item as unknown as StoredShareLink;
  const expired = Date.parse(link.expires_at) <= now();
  return { ...link, status: link.revoked_at ? "revoked" : expired ? "expired" : "active" };
}

/** What tells a link from others: its id, and what its token is found by. */
export type LinkIdentity = Pick<StoredShareLink, "link_id" | "hash">;

/** A fresh link. */
export function newShareLink(
  conversationId: string,
  expiresIn: LinkLifetime,
  { link_id, hash }: LinkIdentity,
): StoredShareLink {
  const at = now();
  return {
    link_id,
    conversation_id: conversationId,
    hash,
    expires_in: expiresIn,
    expires_at: timestamp(at + lifetimes[expiresIn]),
    revoked_at: null,
    views: 0,
    created_at: timestamp(at),
  };
}

/** The writes that make a link: what its owner sees of it, and what its token is found by. */
export function newShareLinkWrites(scope: TenantScope, link: StoredShareLink): Write[] {
  const { tenantId } = scope;
  const { link_id, conversation_id, created_at, expires_at } = link;
  const end = Date.parse(expires_at);
  const view: SharedView = { tenant_id: tenantId, conversation_id, link_id, created_at, expires_at };
  return [
    {
      check: keys.conversation(tenantId, conversation_id),
      condition: { where: "attribute_exists(#pk) AND attribute_not_exists(#deleted)", onConditionFailed: notFound },
    },
    {
      put: {
        ...keys.shareLink(tenantId, conversation_id, link_id),
        discriminator: "share-link",
        timestamp: now(),
        ttl: seconds(end + listedAfterwards),
        ...link,
      },
    },
    { put: { ...keys.sharedView(link.hash), discriminator: "shared-view", ttl: seconds(end), ...view } },
  ];
}

/**
 * Links to a conversation, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listShareLinks(
  scope: TenantScope,
  conversationId: string,
  request: PageRequest,
): Promise<Page<ShareLink>> {
  const { pk } = keys.shareLink(scope.tenantId, conversationId, "");
  const list = { list: "links", filters: { conversationId }, pk, prefix, descending: true, consistent: true };
  const { entries, next } = await listPage(scope, list, request);
  return { entries: entries.map(linkOf), next };
}

/** @throws ServiceError `not_found` */
export async function getShareLink(scope: TenantScope, conversationId: string, linkId: string) {
  const key = keys.shareLink(scope.tenantId, conversationId, linkId);
  const item = await tenantTable(scope).get(key, { consistent: true });
  if (!item) throw notFound();
  return linkOf(item);
}

/** The write after which a token leads nowhere; there may be none any more. */
const closedViewWrite = (scope: TenantScope, hash: string): Write => ({
  delete: keys.sharedView(hash),
  condition: {
    where: "attribute_not_exists(#pk) OR #tenant_id = :tenant_id",
    values: { tenant_id: scope.tenantId },
  },
});

/**
 * Revokes a link: its token leads nowhere in the same moment.
 * @throws ServiceError `not_found`
 */
export async function revokeShareLink(scope: TenantScope, conversationId: string, linkId: string): Promise<void> {
  const { hash } = await getShareLink(scope, conversationId, linkId);
  await tenantTable(scope).transact([
    {
      update: keys.shareLink(scope.tenantId, conversationId, linkId),
      set: { revoked_at: timestamp(), timestamp: now() },
      condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
    },
    closedViewWrite(scope, hash),
  ]);
}

/** Removes the links to a deleted conversation, and what their tokens are found by. */
export async function purgeShareLinks(scope: TenantScope, conversationId: string): Promise<void> {
  const table = tenantTable(scope);
  const links = await table.query({ pk: keys.shareLink(scope.tenantId, conversationId, "").pk, prefix });
  for (const { hash } of links.map(linkOf)) await table.write(closedViewWrite(scope, hash));
  await table.deleteMany(links);
}

/** What the token of that hash leads to, if anywhere: one strongly consistent read, so a revocation works at once. */
export async function findSharedView(hash: string): Promise<SharedView | undefined> {
  const item = await systemTable().get(keys.sharedView(hash), { consistent: true });
  const view = item as unknown as SharedView | undefined;
  return view && Date.parse(view.expires_at) > now() ? view : undefined;
}

/** Counts a view. Whoever looks gets to see it anyway: a count that fails is only noted. */
export async function countView({ tenant_id, conversation_id, link_id }: SharedView): Promise<void> {
  try {
    await tenantTable({ tenantId: tenant_id }).write({
      update: keys.shareLink(tenant_id, conversation_id, link_id),
      add: { views: 1 },
      condition: { where: "attribute_exists(#pk)" },
    });
  } catch (error) {
    log.warn("view of a shared link not counted", { link_id, error });
  }
}
