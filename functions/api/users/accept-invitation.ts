import { acceptInvitationRoute } from "#shared/api/tenancy/invitations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { acceptInvitation } from "#shared/tenancy/members/accept-invitation.ts";

export const handler = endpoint(acceptInvitationRoute, async ({ principal, body }) => {
  const groups = await acceptInvitation(principal, body.token);
  return { groups: groups.map(({ id, name }) => ({ id, name })) };
});
