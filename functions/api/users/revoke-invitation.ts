import { revokeInvitation } from "#shared/api/tenancy/invitations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as invitations from "#shared/tenancy/members/invitation-store.ts";

export const handler = endpoint(revokeInvitation, ({ principal, params }) =>
  invitations.revokeInvitation(principal, params.id),
);
