import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { Messenger } from "../api/messengers/event-ref.ts";
import type { MessengerLink } from "../api/messengers/links.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { equals, exists, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";

/** Validity of a URL that links an account, in seconds. */
export const LINK_TTL_SECONDS = 15 * 60;

const account = { account_id: v.string(), account_name: v.nullable(v.string()) };

const StoredLink = v.object({
  messenger: Messenger,
  id: v.string(),
  workspace_id: v.string(),
  workspace_name: v.string(),
  ...account,
  user_id: v.string(),
  created_at: v.string(),
});
const readLink = itemReader(StoredLink);
const readRequest = itemReader(v.object({ ...account, expires_at: v.string() }));

interface Account {
  readonly workspace_id: string;
  readonly account_id: string;
  readonly account_name: string | null;
}

/**
 * Stores a request to link an account.
 * @returns the token for the URL, of which only a hash is stored
 */
export async function requestLink(
  scope: TenantScope,
  { workspace_id, account_id, account_name }: Account,
): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  await tenantTable(scope).write({
    put: {
      ...keys.messengerLinkRequest(scope.tenantId, workspace_id, sha256(token)),
      discriminator: "messenger-link-request",
      account_id,
      account_name,
      expires_at: timestamp(now() + LINK_TTL_SECONDS * 1_000),
      ttl: expiresAfter(LINK_TTL_SECONDS),
    },
  });
  return token;
}

/**
 * Returns the account for which a token was issued.
 * @throws ServiceError `not_found` if the token is unknown, used or expired
 */
export async function getRequestedAccount(scope: TenantScope, workspace_id: string, token: string): Promise<Account> {
  const key = keys.messengerLinkRequest(scope.tenantId, workspace_id, sha256(token));
  const item = await tenantTable(scope).get(key, { consistent: true });
  const request = item && readRequest(item);
  if (!request || request.expires_at <= timestamp()) throw notFound();
  const { account_id, account_name } = request;
  return { workspace_id, account_id, account_name };
}

/** Returns the writes that link an account with a user. They fail with `not_found` if the token was already used. */
export function linkWrites(
  member: UserScope,
  messenger: Messenger,
  { workspace_id, account_id, account_name }: Account,
  workspace_name: string,
  token: string,
): { readonly link: MessengerLink; readonly writes: Write[] } {
  const id = `${workspace_id}.${account_id}`;
  const link = { id, messenger, workspace_id, workspace_name, account_id, account_name, created_at: timestamp() };
  const writes: Write[] = [
    {
      delete: keys.messengerLinkRequest(member.tenantId, workspace_id, sha256(token)),
      condition: exists(notFound),
    },
    {
      put: {
        ...keys.messengerLink(member.tenantId, workspace_id, account_id),
        ...indexKeys.ownMessengerLinks(member.tenantId, member.userId, id),
        discriminator: "messenger-link",
        timestamp: now(),
        user_id: member.userId,
        ...link,
      },
    },
  ];
  return { link, writes };
}

/** Returns the id of the user that is linked with an account, or undefined. */
export async function findLinkedUser(
  scope: TenantScope,
  { workspace_id, account_id }: Omit<Account, "account_name">,
): Promise<string | undefined> {
  const key = keys.messengerLink(scope.tenantId, workspace_id, account_id);
  const item = await tenantTable(scope).get(key, { consistent: true });
  return item && readLink(item).user_id;
}

/**
 * Lists the linked accounts of a user in one messenger. A page can have fewer entries than its limit although others
 * follow.
 * @throws ServiceError `invalid_cursor`
 */
export async function listOwnLinks(
  member: UserScope,
  messenger: Messenger,
  request: PageRequest,
): Promise<Page<MessengerLink>> {
  const { gsi1pk: pk } = indexKeys.ownMessengerLinks(member.tenantId, member.userId, "");
  const page = { list: "slack-links", filters: { user: member.userId }, index: "gsi1", pk } as const;
  const { entries, next } = await listPage(member, page, request);
  const links = entries.map(readLink).filter((link) => link.messenger === messenger);
  return { entries: links.map(({ user_id: _, ...link }) => link), next };
}

/**
 * Returns the write that deletes a link. Fails with `not_found` if it does not exist in the messenger or belongs to
 * another user.
 */
export function linkDeletion(member: UserScope, messenger: Messenger, id: string): Write {
  const [workspaceId = "", accountId = ""] = id.split(".");
  return {
    delete: keys.messengerLink(member.tenantId, workspaceId, accountId),
    condition: equals({ messenger, user_id: member.userId }, notFound),
  };
}

/** Deletes the links of a removed workspace. Its other items expire. */
export async function deleteLinksOf(scope: TenantScope, workspaceId: string): Promise<void> {
  const { pk } = keys.messengerLink(scope.tenantId, workspaceId, "");
  const links = await tenantTable(scope).query({ pk, consistent: true });
  await tenantTable(scope).deleteMany(links.map(({ sk }) => ({ pk, sk })));
}
