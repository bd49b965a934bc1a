import { listInvitations } from "#shared/api/tenancy/invitations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as invitations from "#shared/tenancy/members/invitation-store.ts";

export const handler = endpoint(listInvitations, async ({ principal }) => ({
  invitations: await invitations.listInvitations(principal),
}));
