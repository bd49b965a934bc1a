import * as v from "valibot";
import { type Capability, capabilities } from "../capabilities.ts";
import { routeGroup } from "../define-route.ts";
import { describe, ExternalId, Integer, lineOf, PathId, textOfAtMost, UserId } from "../fields.ts";
import { PolicyNotice } from "../governance/policy.ts";
import { Tier } from "../tiers.ts";

const CapabilityName = v.picklist(Object.keys(capabilities) as [Capability, ...Capability[]]);

export const RoleName = v.pipe(
  v.string(),
  v.regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/,
    "must be 1 to 64 letters, digits or . _ : -, starting with a letter or digit",
  ),
);

const Description = textOfAtMost(500);

/** Named set of capabilities. */
export const Role = v.object({
  name: v.string(),
  description: v.string(),
  permissions: v.array(CapabilityName),
  built_in: v.boolean(),
});
export type Role = v.InferOutput<typeof Role>;

/** Set of users who share roles in addition to their own. */
export const Group = v.object({
  id: PathId,
  name: v.string(),
  roles: v.array(v.string()),
  member_ids: v.array(v.string()),
});
export type Group = v.InferOutput<typeof Group>;

const unique = <Entry>(entries: Entry[]) => [...new Set(entries)];
/** Maximum number of members of a group. */
export const MAX_MEMBERS = 1_000;

const MemberIds = v.pipe(
  v.array(UserId),
  v.maxLength(MAX_MEMBERS, "must name at most 1,000 members"),
  v.transform(unique),
);
const RoleNames = v.pipe(v.array(RoleName), v.maxLength(50, "must name at most 50 roles"), v.transform(unique));
const GroupName = lineOf(100);

const route = routeGroup({ group: "access", auth: "jwt" });

export const getMyAccessRoute = route("GET /v1/rbac/me", {
  id: "getMyAccess",
  group: "identity",
  replies: {
    200: v.object({
      user_id: v.string(),
      roles: v.array(v.string()),
      groups: v.array(v.object({ id: v.string(), name: v.string() })),
      permissions: v.array(CapabilityName),
    }),
  },
  summary: "Get the caller's roles and permissions",
});

export const getReceptorRoute = route("GET /v1/receptor", {
  id: "getReceptor",
  group: "identity",
  replies: {
    200: v.object({
      user: v.object({
        user_id: v.string(),
        external_id: ExternalId,
        email: v.nullable(v.string()),
        name: v.nullable(v.string()),
      }),
      tenant: v.object({ tenant_id: v.string(), slug: v.string() }),
      roles: v.array(v.string()),
      permissions: v.array(CapabilityName),
      operations: v.record(v.string(), v.boolean()),
      tiers: v.array(Tier),
      features: describe(
        v.record(v.string(), v.boolean()),
        "`language_model` is false while the demo model of `npm start` answers, which only quotes what it finds.",
      ),
      limits: v.record(v.string(), Integer),
      policy: PolicyNotice,
    }),
  },
  summary: "Get the caller's identity, permissions and operations",
  description: "`operations` maps every operation id to whether the caller is allowed to call it.",
});

export const listPermissionsRoute = route("GET /v1/permissions", {
  id: "listPermissions",
  replies: { 200: v.object({ permissions: v.array(v.object({ name: v.string(), description: v.string() })) }) },
  summary: "List permissions",
});

export const listRolesRoute = route("GET /v1/roles", {
  id: "listRoles",
  replies: { 200: v.object({ roles: v.array(Role) }) },
  summary: "List roles",
});

const adminRoute = routeGroup({ group: "access", auth: "jwt", capability: "rbac.manage" });
const RoleParams = v.object({ name: RoleName });
const Permissions = v.pipe(v.array(CapabilityName), v.transform(unique));

export const createRoleRoute = adminRoute("POST /v1/roles", {
  id: "createRole",
  body: v.strictObject({ name: RoleName, description: v.optional(Description, ""), permissions: Permissions }),
  replies: { 201: Role },
  errors: ["conflict"],
  summary: "Create a role",
  description: "Callers can only grant permissions that they have (403).",
});

export const updateRoleRoute = adminRoute("PATCH /v1/roles/{name}", {
  id: "updateRole",
  params: RoleParams,
  body: v.strictObject({ description: v.optional(Description), permissions: v.optional(Permissions) }),
  replies: { 200: Role },
  summary: "Update a custom role",
  description: "Callers can only grant permissions that they have (403).",
});

export const deleteRoleRoute = adminRoute("DELETE /v1/roles/{name}", {
  id: "deleteRole",
  params: RoleParams,
  summary: "Delete a custom role",
  description: "Users keep the name of a deleted role, but it no longer grants any permissions.",
});

export const listGroupsRoute = route("GET /v1/groups", {
  id: "listGroups",
  replies: { 200: v.object({ groups: v.array(Group) }) },
  summary: "List groups",
});

export const createGroupRoute = adminRoute("POST /v1/groups", {
  id: "createGroup",
  body: v.strictObject({ name: GroupName, roles: v.optional(RoleNames, []), member_ids: v.optional(MemberIds, []) }),
  replies: { 201: Group },
  errors: ["conflict"],
  summary: "Create a group",
  description:
    "A group can be created with up to 90 members. Add more members with later updates. Callers can only give roles whose permissions they have (403). A role that does not exist requires all permissions.",
});

export const updateGroupRoute = adminRoute("PATCH /v1/groups/{id}", {
  id: "updateGroup",
  body: v.strictObject({
    name: v.optional(GroupName),
    roles: v.optional(RoleNames),
    member_ids: v.optional(MemberIds),
  }),
  replies: { 200: Group },
  errors: ["conflict"],
  summary: "Update a group",
  description:
    "One request can add and remove up to 90 members in total. Callers can only give roles, and add members to a group with roles, whose permissions they have (403).",
});

export const deleteGroupRoute = adminRoute("DELETE /v1/groups/{id}", {
  id: "deleteGroup",
  errors: ["conflict"],
  summary: "Delete a group",
});
