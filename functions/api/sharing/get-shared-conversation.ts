import { getSharedConversationRoute } from "#shared/api/conversations/sharing.ts";
import { findConversation } from "#shared/conversations/conversation-store.ts";
import { listBranchUntil } from "#shared/conversations/list-branch.ts";
import { countView } from "#shared/conversations/sharing/share-link-store.ts";
import { renderSharedPage } from "#shared/conversations/sharing/shared-page.ts";
import { linkGone, verifyShareToken } from "#shared/conversations/sharing/verify-share-link.ts";
import type { TenantScope } from "#shared/dynamodb/tenant-scope.ts";
import { toPublicMessages } from "#shared/embed/public-projections.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { htmlReply } from "#shared/http/reply.ts";
import { requireActiveTenant } from "#shared/tenancy/tenant-store.ts";
import { findUser } from "#shared/tenancy/user-store.ts";

/** Returns true for links of a deactivated user, unless the policy keeps them. */
async function isClosed(scope: TenantScope, ownerId: string): Promise<boolean> {
  if (!(await findUser(scope, ownerId))?.deactivated_at) return false;
  return !(await getCurrentPolicy(scope)).sharing.keep_links_of_deactivated_users;
}

export const handler = endpoint(getSharedConversationRoute, async ({ params, query, headers }) => {
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
    messages: toPublicMessages(page.entries),
    shared_at: link.created_at,
    expires_at: link.expires_at,
    next_cursor: page.next,
  };
  if (negotiateMediaType(headers, ["application/json", "text/html"]) === "application/json") return view;
  return htmlReply(renderSharedPage(view));
});
