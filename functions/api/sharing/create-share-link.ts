import { createShareLink } from "#shared/api/sharing.ts";
import { appSecret } from "#shared/auth/app-secret.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import { newShareLink, newShareLinkWrites } from "#shared/data/share-link-store.ts";
import { credentialHash } from "#shared/domain/credentials.ts";
import { shareToken } from "#shared/domain/share-token.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";

const tokenOf = (linkId: string) => shareToken(appSecret(), linkId);

export const handler = secretEndpoint(
  createShareLink,
  async ({ principal, params, body, commit }) => {
    await conversationFor(principal, params.id, "owner");
    const link = newShareLink(params.id, body.expires_in, (id) => credentialHash(tokenOf(id)));
    const location = `/v1/chat/${params.id}/share-links/${link.link_id}`;
    return commit(new Reply(201, link, { location }), ...newShareLinkWrites(principal, link));
  },
  (link) => {
    const token = tokenOf(link.link_id);
    return { ...link, token, url: `/v1/shared/${token}` };
  },
);
