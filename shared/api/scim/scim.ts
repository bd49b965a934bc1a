import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { PathId, UserId } from "../fields.ts";
import { SCIM_SCOPE } from "../scopes.ts";
import {
  SCIM_MEDIA_TYPE,
  ScimGroup,
  ScimGroupBody,
  ScimListQuery,
  ScimPatchBody,
  ScimProjectionQuery,
  ScimUser,
  ScimUserBody,
  scimListOf,
} from "./resources.ts";

const scim = {
  group: "scim",
  auth: "jwt",
  capability: "rbac.manage",
  scope: SCIM_SCOPE,
  rateLimit: "scim",
  idempotency: "none",
  mediaTypes: [SCIM_MEDIA_TYPE],
} as const;
const users = { ...scim, path: "/scim/v2/Users" } as const;
const user = { ...scim, path: "/scim/v2/Users/{user_id}", params: v.object({ user_id: UserId }) } as const;
const groups = { ...scim, path: "/scim/v2/Groups" } as const;
const group = { ...scim, path: "/scim/v2/Groups/{id}", params: v.object({ id: PathId }) } as const;

const withETag = { replyHeaders: ["ETag"] } as const;
const created = { replyHeaders: ["ETag", "Location"] } as const;

export const getScimMetadataRoute = defineRoute({
  ...scim,
  id: "getScimMetadata",
  method: "GET",
  path: "/scim/v2/{path+}",
  params: v.object({ path: v.pipe(v.string(), v.maxLength(200)) }),
  query: v.object({ filter: v.optional(v.string()) }),
  replies: { 200: v.looseObject({ schemas: v.array(v.string()) }) },
  errors: ["not_found"],
  summary: "Get SCIM metadata",
  description:
    "Returns `ServiceProviderConfig`, `ResourceTypes` or `Schemas`, or one resource type or schema (RFC 7644, section 4).",
});

export const listScimUsersRoute = defineRoute({
  ...users,
  id: "listScimUsers",
  method: "GET",
  query: ScimListQuery,
  replies: { 200: scimListOf(ScimUser) },
  summary: "List users by SCIM",
  description:
    "Returns people in order of their ids: those that were provisioned and those that appeared with a token. Filters by `userName`, `externalId` or `id` with `eq` read single items; all others read all users of the tenant.",
});

export const createScimUserRoute = defineRoute({
  ...users,
  id: "createScimUser",
  method: "POST",
  query: ScimProjectionQuery,
  body: ScimUserBody,
  replies: { 201: ScimUser },
  ...created,
  errors: ["conflict", "forbidden"],
  summary: "Provision a user by SCIM",
  description:
    "The id of the new user is `externalId`, or `userName` without one or with `SCIM_USER_ID=userName`. It must be the id in the user claim of the tokens. A user who appeared with a token before is taken over.",
});

export const getScimUserRoute = defineRoute({
  ...user,
  id: "getScimUser",
  method: "GET",
  query: ScimProjectionQuery,
  replies: { 200: ScimUser },
  ...withETag,
  errors: ["not_found"],
  summary: "Get a user by SCIM",
});

export const replaceScimUserRoute = defineRoute({
  ...user,
  id: "replaceScimUser",
  method: "PUT",
  query: ScimProjectionQuery,
  body: ScimUserBody,
  replies: { 200: ScimUser },
  ...withETag,
  errors: ["not_found", "conflict", "precondition_failed", "forbidden"],
  summary: "Replace a user by SCIM",
  description: "A missing `active` leaves it as it is.",
});

export const updateScimUserRoute = defineRoute({
  ...user,
  id: "updateScimUser",
  method: "PATCH",
  query: ScimProjectionQuery,
  body: ScimPatchBody,
  replies: { 200: ScimUser },
  ...withETag,
  errors: ["not_found", "conflict", "precondition_failed", "forbidden"],
  summary: "Update a user by SCIM",
  description:
    "`active: false` deactivates the user: within 30 seconds, requests of the user get 403, and streams end. What the user owns is kept.",
});

export const deleteScimUserRoute = defineRoute({
  ...user,
  id: "deleteScimUser",
  method: "DELETE",
  replies: { 204: null },
  errors: ["not_found", "precondition_failed", "forbidden"],
  summary: "Deprovision a user by SCIM",
  description:
    "Deactivates the user, removes it from all groups and forgets what was provisioned. What the user owns is kept; erase it with `POST /v1/data-deletions`.",
});

export const listScimGroupsRoute = defineRoute({
  ...groups,
  id: "listScimGroups",
  method: "GET",
  query: ScimListQuery,
  replies: { 200: scimListOf(ScimGroup) },
  summary: "List groups by SCIM",
});

export const createScimGroupRoute = defineRoute({
  ...groups,
  id: "createScimGroup",
  method: "POST",
  query: ScimProjectionQuery,
  body: ScimGroupBody,
  replies: { 201: ScimGroup },
  ...created,
  errors: ["conflict"],
  summary: "Create a group by SCIM",
  description: "The group has no roles until an administrator gives it some.",
});

export const getScimGroupRoute = defineRoute({
  ...group,
  id: "getScimGroup",
  method: "GET",
  query: ScimProjectionQuery,
  replies: { 200: ScimGroup },
  ...withETag,
  errors: ["not_found"],
  summary: "Get a group by SCIM",
});

export const replaceScimGroupRoute = defineRoute({
  ...group,
  id: "replaceScimGroup",
  method: "PUT",
  query: ScimProjectionQuery,
  body: ScimGroupBody,
  replies: { 200: ScimGroup },
  ...withETag,
  errors: ["not_found", "conflict", "precondition_failed", "forbidden"],
  summary: "Replace a group by SCIM",
  description: "Adding members requires the permissions of the roles of the group.",
});

export const updateScimGroupRoute = defineRoute({
  ...group,
  id: "updateScimGroup",
  method: "PATCH",
  query: ScimProjectionQuery,
  body: ScimPatchBody,
  replies: { 200: ScimGroup },
  ...withETag,
  errors: ["not_found", "conflict", "precondition_failed", "forbidden"],
  summary: "Update a group by SCIM",
  description: "Adding members requires the permissions of the roles of the group.",
});

export const deleteScimGroupRoute = defineRoute({
  ...group,
  id: "deleteScimGroup",
  method: "DELETE",
  replies: { 204: null },
  errors: ["not_found", "conflict", "precondition_failed"],
  summary: "Delete a group by SCIM",
});
