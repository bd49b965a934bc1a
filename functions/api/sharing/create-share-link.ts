import { createShareLinkRoute, getShareLinkRoute } from "#shared/api/conversations/sharing.ts";
import { pathOf } from "#shared/api/define-route.ts";
import type { Held } from "#shared/api/governance/approvals.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import {
  newShareLink,
  newShareLinkWrites,
  type StoredShareLink,
} from "#shared/conversations/sharing/share-link-store.ts";
import { deriveLinkSecret, newLinkIdentity } from "#shared/conversations/sharing/verify-share-link.ts";
import { requestApprovalIfRequired } from "#shared/governance/approvals/require-approval.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { approvalRequired } from "#shared/http/accepted.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";

export const handler = secretEndpoint(
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
