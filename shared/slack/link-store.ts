import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { SlackLink } from "../api/slack/links.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import type { Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";

export const slackLinkAccess = itemAccess("slackLink", "get", "query", "queryIndex", "put", "delete", "deleteMany");
export const slackLinkRequestAccess = itemAccess("slackLinkRequest", "get", "put", "delete");

/** Time for which a link that the app has sent can be opened. */
export const LINK_TTL_SECONDS = 15 * 60;

const StoredLink = v.object({ ...SlackLink.entries, user_id: v.string() });
type StoredLink = v.InferOutput<typeof StoredLink>;

const readLink = itemReader(StoredLink);

/** Account of Slack. */
export interface SlackAccount {
  readonly workspace_id: string;
  readonly slack_user_id: string;
  readonly slack_user_name: string | null;
}

const readRequest = itemReader(
  v.object({ slack_user_id: v.string(), slack_user_name: v.nullable(v.string()), expires_at: v.string() }),
);

/** Starts the linking of an account. @returns the token of the link, of which the table has a hash only */
export async function requestLink(scope: TenantScope, account: SlackAccount): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  const { workspace_id, slack_user_id, slack_user_name } = account;
  await tenantTable(scope).write({
    put: {
      ...keys.slackLinkRequest(scope.tenantId, workspace_id, sha256(token)),
      discriminator: "slack-link-request",
      slack_user_id,
      slack_user_name,
      expires_at: timestamp(now() + LINK_TTL_SECONDS * 1_000),
      ttl: expiresAfter(LINK_TTL_SECONDS),
    },
  });
  return token;
}

/** Returns the account that a token was sent to. @throws ServiceError `not_found` if it is unknown, used or expired */
export async function getRequestedAccount(
  scope: TenantScope,
  workspace_id: string,
  token: string,
): Promise<SlackAccount> {
  const key = keys.slackLinkRequest(scope.tenantId, workspace_id, sha256(token));
  const item = await tenantTable(scope).get(key, { consistent: true });
  const request = item && readRequest(item);
  if (!request || request.expires_at <= timestamp()) throw notFound();
  return { workspace_id, slack_user_id: request.slack_user_id, slack_user_name: request.slack_user_name };
}

/** Returns the writes that link an account with a user, once for a token. */
export function linkWrites(
  member: UserScope,
  account: SlackAccount,
  workspaceName: string,
  token: string,
): { readonly link: SlackLink; readonly writes: Write[] } {
  const { workspace_id, slack_user_id } = account;
  const id = `${workspace_id}.${slack_user_id}`;
  const link = { id, ...account, workspace_name: workspaceName, created_at: timestamp() };
  const writes: Write[] = [
    {
      delete: keys.slackLinkRequest(member.tenantId, workspace_id, sha256(token)),
      condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
    },
    {
      put: {
        ...keys.slackLink(member.tenantId, workspace_id, slack_user_id),
        ...indexKeys.ownSlackLinks(member.tenantId, member.userId, id),
        discriminator: "slack-link",
        timestamp: now(),
        user_id: member.userId,
        ...link,
      },
    },
  ];
  return { link, writes };
}

/** Returns the id of the user as whom an account acts, or undefined. */
export async function findLinkedUser(
  scope: TenantScope,
  workspaceId: string,
  slackUserId: string,
): Promise<string | undefined> {
  const key = keys.slackLink(scope.tenantId, workspaceId, slackUserId);
  const item = await tenantTable(scope).get(key, { consistent: true });
  return item && readLink(item).user_id;
}

const toLink = ({ user_id, ...link }: StoredLink): SlackLink => link;

/** Lists the accounts of a user. @throws ServiceError `invalid_cursor` */
export async function listOwnLinks(member: UserScope, request: PageRequest): Promise<Page<SlackLink>> {
  const { gsi1pk: pk } = indexKeys.ownSlackLinks(member.tenantId, member.userId, "");
  const list = { list: "slack-links", filters: { user: member.userId }, index: "gsi1", pk } as const;
  const { entries, next } = await listPage(member, list, request);
  return { entries: entries.map((item) => toLink(readLink(item))), next };
}

/** Returns the write that removes a link of the user; a missing one, or one of another user, is `not_found`. */
export function linkDeletion(member: UserScope, id: string): Write {
  const [workspaceId = "", slackUserId = ""] = id.split(".");
  return {
    delete: keys.slackLink(member.tenantId, workspaceId, slackUserId),
    condition: { where: "#user_id = :user", values: { user: member.userId }, onConditionFailed: notFound },
  };
}

/** Deletes the links of a workspace that was removed. All else that belongs to it expires. */
export async function deleteLinksOf(scope: TenantScope, workspaceId: string): Promise<void> {
  const { pk } = keys.slackLink(scope.tenantId, workspaceId, "");
  const links = await tenantTable(scope).query({ pk, consistent: true });
  await tenantTable(scope).deleteMany(links.map(({ sk }) => ({ pk, sk })));
}
