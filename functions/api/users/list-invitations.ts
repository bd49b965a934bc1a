import { listInvitationsRoute } from "#shared/api/tenancy/invitations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listInvitations } from "#shared/tenancy/members/invitation-store.ts";

export const handler = endpoint(listInvitationsRoute, async ({ principal }) => ({
  invitations: await listInvitations(principal),
}));
