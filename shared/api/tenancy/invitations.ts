import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { ChosenId, describe, Id, Integer, Timestamp, textOfAtMost } from "../fields.ts";

export const Invitation = v.object({
  id: v.string(),
  note: describe(v.string(), "A text that tells invitations apart, such as an e-mail address. Nothing is sent."),
  group_ids: describe(v.array(v.string()), "Groups that the person joins."),
  is_administrator: describe(v.boolean(), "True if the person joins the administrators."),
  status: v.picklist(["pending", "accepted", "expired"]),
  expires_at: Timestamp,
  accepted_by: v.nullable(v.string()),
  accepted_at: v.nullable(Timestamp),
  created_by: describe(v.nullable(v.string()), "null for invitations of the operator."),
  created_at: Timestamp,
});
export type Invitation = v.InferOutput<typeof Invitation>;

const NewInvitation = v.object({
  ...Invitation.entries,
  url: describe(v.string(), "The link for the person. No other response contains it."),
});

const fields = {
  note: v.optional(textOfAtMost(200), ""),
  expires_in_days: v.optional(v.pipe(Integer, v.minValue(1), v.maxValue(30)), 7),
};

const route = routeGroup({ group: "users", auth: "jwt" });
const adminRoute = routeGroup({ group: "users", auth: "jwt", capability: "rbac.manage" });

export const createInvitationRoute = adminRoute("POST /v1/tenant/invitations", {
  id: "createInvitation",
  idempotency: "none",
  body: v.strictObject({
    ...fields,
    group_ids: v.optional(v.pipe(v.array(Id), v.maxLength(10, "must name at most 10 groups")), []),
  }),
  replies: { 201: NewInvitation },
  errors: ["not_found", "conflict"],
  summary: "Invite a person",
  description:
    "The person opens the link, signs in with an account of this tenant and joins the groups. Callers can only name groups whose permissions they have (403), now and when the person accepts. At most 100 invitations.",
});

export const listInvitationsRoute = adminRoute("GET /v1/tenant/invitations", {
  id: "listInvitations",
  replies: { 200: v.object({ invitations: v.array(Invitation) }) },
  summary: "List invitations",
  description: "Returns invitations until 30 days after their expiry, newest first.",
});

export const revokeInvitationRoute = adminRoute("DELETE /v1/tenant/invitations/{id}", {
  id: "revokeInvitation",
  summary: "Revoke an invitation",
  description: "Deletes the invitation. A person who accepted it keeps the groups.",
});

export const acceptInvitationRoute = route("POST /v1/invitations/accept", {
  id: "acceptInvitation",
  keys: "refused",
  idempotency: "none",
  body: v.strictObject({
    token: describe(v.pipe(v.string(), v.maxLength(200)), "The token at the end of the link."),
  }),
  replies: { 200: v.object({ groups: v.array(v.object({ id: v.string(), name: v.string() })) }) },
  errors: ["not_found", "forbidden"],
  summary: "Accept an invitation",
  description:
    "Makes the caller a member of the groups of the invitation, once. Invitations of other tenants, and those that another person accepted, were revoked or have expired, get 404.",
});

export const createTenantInvitationRoute = route("POST /v1/admin/tenants/{tenant_id}/invitations", {
  id: "createTenantInvitation",
  group: "tenants",
  auth: "deployment-key",
  idempotency: "none",
  params: v.object({ tenant_id: ChosenId }),
  body: v.strictObject(fields),
  replies: { 201: NewInvitation },
  errors: ["conflict"],
  summary: "Invite an administrator of a tenant",
  description:
    "The person who opens the link and signs in with an account of the tenant joins a group with the role `admin`, which is created if the tenant has none.",
});
