import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { UserId } from "../fields.ts";
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

const route = routeGroup({
  group: "scim",
  auth: "jwt",
  capability: "rbac.manage",
  scope: SCIM_SCOPE,
  rateLimit: "scim",
  idempotency: "none",
  mediaTypes: [SCIM_MEDIA_TYPE],
});

const UserParams = v.object({ user_id: UserId });

const withETag = { replyHeaders: ["ETag"] } as const;
const created = { replyHeaders: ["ETag", "Location"] } as const;

export const getScimMetadataRoute = route("GET /scim/v2/{path+}", {
  id: "getScimMetadata",
  params: v.object({ path: v.pipe(v.string(), v.maxLength(200)) }),
  query: v.object({ filter: v.optional(v.string()) }),
  replies: { 200: v.looseObject({ schemas: v.array(v.string()) }) },
  summary: "Get SCIM metadata",
  description:
    "Returns `ServiceProviderConfig`, `ResourceTypes` or `Schemas`, or one resource type or schema (RFC 7644, section 4).",
});

export const listScimUsersRoute = route("GET /scim/v2/Users", {
  id: "listScimUsers",
  query: ScimListQuery,
  replies: { 200: scimListOf(ScimUser) },
  summary: "List users by SCIM",
  description:
    "Returns people in order of their ids: those that were provisioned and those that appeared with a token. Filters by `userName`, `externalId` or `id` with `eq` read single items; all others read all users of the tenant.",
});

export const createScimUserRoute = route("POST /scim/v2/Users", {
  id: "createScimUser",
  query: ScimProjectionQuery,
  body: ScimUserBody,
  replies: { 201: ScimUser },
  ...created,
  errors: ["conflict", "forbidden"],
  summary: "Provision a user by SCIM",
  description:
    "The id of the new user is `externalId`, or `userName` without one or with `SCIM_USER_ID=userName`. It must be the id in the user claim of the tokens. A user who appeared with a token before is taken over.",
});

export const getScimUserRoute = route("GET /scim/v2/Users/{user_id}", {
  id: "getScimUser",
  params: UserParams,
  query: ScimProjectionQuery,
  replies: { 200: ScimUser },
  ...withETag,
  summary: "Get a user by SCIM",
});

export const replaceScimUserRoute = route("PUT /scim/v2/Users/{user_id}", {
  id: "replaceScimUser",
  params: UserParams,
  query: ScimProjectionQuery,
  body: ScimUserBody,
  replies: { 200: ScimUser },
  ...withETag,
  errors: ["conflict", "precondition_failed", "forbidden"],
  summary: "Replace a user by SCIM",
  description: "A missing `active` leaves it as it is.",
});

export const updateScimUserRoute = route("PATCH /scim/v2/Users/{user_id}", {
  id: "updateScimUser",
  params: UserParams,
  query: ScimProjectionQuery,
  body: ScimPatchBody,
  replies: { 200: ScimUser },
  ...withETag,
  errors: ["conflict", "precondition_failed", "forbidden"],
  summary: "Update a user by SCIM",
  description:
    "`active: false` deactivates the user: within 30 seconds, requests of the user get 403, and streams end. What the user owns is kept.",
});

export const deleteScimUserRoute = route("DELETE /scim/v2/Users/{user_id}", {
  id: "deleteScimUser",
  params: UserParams,
  errors: ["precondition_failed", "forbidden"],
  summary: "Deprovision a user by SCIM",
  description:
    "Deactivates the user, removes it from all groups and forgets what was provisioned. What the user owns is kept; erase it with `POST /v1/data-deletions`.",
});

export const listScimGroupsRoute = route("GET /scim/v2/Groups", {
  id: "listScimGroups",
  query: ScimListQuery,
  replies: { 200: scimListOf(ScimGroup) },
  summary: "List groups by SCIM",
});

export const createScimGroupRoute = route("POST /scim/v2/Groups", {
  id: "createScimGroup",
  query: ScimProjectionQuery,
  body: ScimGroupBody,
  replies: { 201: ScimGroup },
  ...created,
  errors: ["conflict"],
  summary: "Create a group by SCIM",
  description: "The group has no roles until an administrator gives it some.",
});

export const getScimGroupRoute = route("GET /scim/v2/Groups/{id}", {
  id: "getScimGroup",
  query: ScimProjectionQuery,
  replies: { 200: ScimGroup },
  ...withETag,
  summary: "Get a group by SCIM",
});

export const replaceScimGroupRoute = route("PUT /scim/v2/Groups/{id}", {
  id: "replaceScimGroup",
  query: ScimProjectionQuery,
  body: ScimGroupBody,
  replies: { 200: ScimGroup },
  ...withETag,
  errors: ["conflict", "precondition_failed", "forbidden"],
  summary: "Replace a group by SCIM",
  description: "Adding members requires the permissions of the roles of the group.",
});

export const updateScimGroupRoute = route("PATCH /scim/v2/Groups/{id}", {
  id: "updateScimGroup",
  query: ScimProjectionQuery,
  body: ScimPatchBody,
  replies: { 200: ScimGroup },
  ...withETag,
  errors: ["conflict", "precondition_failed", "forbidden"],
  summary: "Update a group by SCIM",
  description: "Adding members requires the permissions of the roles of the group.",
});

export const deleteScimGroupRoute = route("DELETE /scim/v2/Groups/{id}", {
  id: "deleteScimGroup",
  errors: ["conflict", "precondition_failed"],
  summary: "Delete a group by SCIM",
});
