import { acceptInvitation } from "#shared/api/tenancy/invitations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as invitations from "#shared/tenancy/members/accept-invitation.ts";

export const handler = endpoint(acceptInvitation, async ({ principal, body }) => {
  const groups = await invitations.acceptInvitation(principal, body.token);
  return { groups: groups.map(({ id, name }) => ({ id, name })) };
});
