import type { Held } from "#shared/api/approvals.ts";
import { createShareLink } from "#shared/api/sharing.ts";
import { linkSecret, newLinkIdentity } from "#shared/auth/share-link.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import { holdFor } from "#shared/data/approval-store.ts";
import { policyOf } from "#shared/data/policy-store.ts";
import { newShareLink, newShareLinkWrites, type StoredShareLink } from "#shared/data/share-link-store.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import { heldReply, Reply } from "#shared/http/reply.ts";

export const handler = secretEndpoint(
  createShareLink,
  async ({ principal, params, body, commit }): Promise<Reply<StoredShareLink | Held>> => {
    const [policy] = await Promise.all([policyOf(principal), conversationFor(principal, params.id, "owner")]);
    const identity = newLinkIdentity();
    const held = holdFor(principal, policy, "createShareLink", { conversation_id: params.id, ...body }, identity);
    if (held) return commit(heldReply(held.approval), ...held.writes);
    const link = newShareLink(params.id, body.expires_in, identity);
    const location = `/v1/chat/${params.id}/share-links/${link.link_id}`;
    return commit(new Reply(201, link, { location }), ...newShareLinkWrites(principal, link));
  },
  (link) => ("approval" in link ? link : { ...link, ...linkSecret(link.link_id) }),
);
