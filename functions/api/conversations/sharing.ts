import {
  createGrantRoute,
  createShareLinkRoute,
  deleteGrantRoute,
  getGrantRoute,
  getSharedConversationRoute,
  getShareLinkRoute,
  listGrantsRoute,
  listShareLinksRoute,
  revokeShareLinkRoute,
} from "#shared/api/conversations/sharing.ts";
import { pathOf } from "#shared/api/define-route.ts";
import type { Held } from "#shared/api/governance/approvals.ts";
import { requireNonOwnerGrantee } from "#shared/conversations/access.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { findConversation } from "#shared/conversations/conversation-store.ts";
import { listBranchUntil } from "#shared/conversations/list-branch.ts";
import {
  deleteGrant,
  findGrant,
  listGrants,
  newGrant,
  newGrantWrites,
  readGrant,
  updateGrantWrite,
} from "#shared/conversations/sharing/grant-store.ts";
import {
  countView,
  getShareLink,
  listShareLinks,
  newShareLink,
  newShareLinkWrites,
  revokeShareLink,
  type StoredShareLink,
} from "#shared/conversations/sharing/share-link-store.ts";
import { renderSharedPage } from "#shared/conversations/sharing/shared-page.ts";
import {
  deriveLinkSecret,
  linkGone,
  newLinkIdentity,
  verifyShareToken,
} from "#shared/conversations/sharing/verify-share-link.ts";
import type { TenantScope } from "#shared/dynamodb/tenant-scope.ts";
import { toPublicMessages } from "#shared/embed/public-projections.ts";
import { requestApprovalIfRequired } from "#shared/governance/approvals/require-approval.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { approvalRequired } from "#shared/http/accepted.ts";
import { endpoint, secretEndpoint } from "#shared/http/endpoint.ts";
import { createOrReplace } from "#shared/http/idempotency/create-or-replace.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { htmlReply, pageReply, Reply } from "#shared/http/reply.ts";
import { hideSources } from "#shared/knowledge/readers/hide-sources.ts";
import { notFound } from "#shared/lib/errors.ts";
import { requireGrantee } from "#shared/tenancy/act-as.ts";
import { requireActiveTenant } from "#shared/tenancy/tenant-store.ts";
import { findUser, getUser } from "#shared/tenancy/user-store.ts";

export const createGrantHandler = endpoint(createGrantRoute, async ({ principal, params, body, commit }) => {
  const conversation = await authorizeConversation(principal, params.id, "owner");
  requireNonOwnerGrantee(conversation, body.user_id);
  requireGrantee(principal, await getUser(principal, body.user_id));
  const grant = newGrant(conversation, body, principal.userId);
  const location = pathOf(getGrantRoute, { id: params.id, user_id: body.user_id });
  return createOrReplace(
    commit,
    (exists) => ({ reply: new Reply(201, grant, { location }), writes: newGrantWrites(principal, grant, exists) }),
    (existing) => {
      const changed = { ...readGrant(existing), permission: body.permission, granted_by: principal.userId };
      return { reply: new Reply(200, changed), writes: [updateGrantWrite(principal, changed)] };
    },
  );
});

export const createShareLinkHandler = secretEndpoint(
  createShareLinkRoute,
  async ({ principal, params, body, commit }): Promise<Reply<StoredShareLink | Held>> => {
    const [policy, conversation] = await Promise.all([
      getCurrentPolicy(principal),
      authorizeConversation(principal, params.id, "owner"),
    ]);
    const identity = await newLinkIdentity();
    const pending = requestApprovalIfRequired(
      principal,
      policy,
      "createShareLink",
      { conversation_id: params.id, ...body },
      identity,
    );
    if (pending) return commit(approvalRequired(pending.approval), ...pending.writes);
    const link = newShareLink(conversation, body.expires_in, identity);
    const location = pathOf(getShareLinkRoute, { id: params.id, link_id: link.link_id });
    return commit(new Reply(201, link, { location }), ...newShareLinkWrites(principal, link));
  },
  async (link) => ("approval" in link ? link : { ...link, ...(await deriveLinkSecret(link)) }),
);

export const deleteGrantHandler = endpoint(deleteGrantRoute, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  await deleteGrant(principal, params.id, params.user_id);
});

export const getGrantHandler = endpoint(getGrantRoute, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  const grant = await findGrant(principal, params.id, params.user_id);
  if (!grant) throw notFound();
  return grant;
});

export const getShareLinkHandler = endpoint(getShareLinkRoute, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  return getShareLink(principal, params.id, params.link_id);
});

/** Returns true for links of a deactivated user, unless the policy keeps them. */
async function isClosed(scope: TenantScope, ownerId: string): Promise<boolean> {
  if (!(await findUser(scope, ownerId))?.deactivated_at) return false;
  return !(await getCurrentPolicy(scope)).sharing.keep_links_of_deactivated_users;
}

export const getSharedConversationHandler = endpoint(getSharedConversationRoute, async ({ params, query, headers }) => {
  const link = await verifyShareToken(params.token);
  const scope = { tenantId: link.tenant_id };
  await requireActiveTenant(scope);
  const [conversation] = await Promise.all([
    findConversation(scope, link.conversation_id),
    query.cursor === undefined && countView(link),
  ]);
  if (!conversation || (await isClosed(scope, conversation.owner_id))) throw linkGone();
  const page = await listBranchUntil(scope, conversation, link.created_at, query.cursor);
  const view = {
    title: conversation.title,
    // Anyone can have the link, so only knowledge of the whole tenant is named.
    messages: toPublicMessages(await hideSources({ ...scope, userId: null }, page.entries)),
    shared_at: link.created_at,
    expires_at: link.expires_at,
    next_cursor: page.next,
  };
  if (negotiateMediaType(headers, ["application/json", "text/html"]) === "application/json") return view;
  return htmlReply(renderSharedPage(view));
});

export const listGrantsHandler = endpoint(listGrantsRoute, async ({ principal, params, query }) => {
  await authorizeConversation(principal, params.id, "owner");
  const page = await listGrants(principal, params.id, query);
  return pageReply("grants", page, query.limit);
});

export const listShareLinksHandler = endpoint(listShareLinksRoute, async ({ principal, params, query }) => {
  await authorizeConversation(principal, params.id, "owner");
  const page = await listShareLinks(principal, params.id, query);
  return pageReply("links", page, query.limit);
});

export const revokeShareLinkHandler = endpoint(revokeShareLinkRoute, async ({ principal, params, rights }) => {
  const { permissions } = await rights();
  if (!permissions.has("rbac.manage")) await authorizeConversation(principal, params.id, "owner");
  await revokeShareLink(principal, params.id, params.link_id);
});
