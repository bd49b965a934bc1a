import { revokeInvitationRoute } from "#shared/api/tenancy/invitations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { revokeInvitation } from "#shared/tenancy/members/invitation-store.ts";

export const handler = endpoint(revokeInvitationRoute, ({ principal, params }) =>
  revokeInvitation(principal, params.id),
);
