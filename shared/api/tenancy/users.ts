import * as v from "valibot";
import { ShareLink } from "../conversations/sharing.ts";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, ExternalId, Id, Limit, pageOf, Timestamp, UserId } from "../fields.ts";

/** User of a tenant, who appears with the first request. */
export const User = v.object({
  id: describe(
    v.string(),
    "The id for paths and bodies of this API. It is derived from the value of the identity provider.",
  ),
  external_id: ExternalId,
  name: describe(v.nullable(v.string()), "From the latest token."),
  email: describe(v.nullable(v.string()), "From the latest token."),
  roles: describe(v.array(v.string()), "Roles of the latest token; `member` for users whom only API keys have named."),
  groups: v.array(v.object({ id: v.string(), name: v.string() })),
  is_active: v.boolean(),
  is_provisioned: describe(v.boolean(), "True if an identity provider provisioned the user by SCIM."),
  last_seen_at: describe(v.nullable(Timestamp), "The time of the latest request, within an hour."),
  created_at: Timestamp,
});
export type User = v.InferOutput<typeof User>;

const route = routeGroup({ group: "users", auth: "jwt" });
const adminRoute = routeGroup({ group: "users", auth: "jwt", capability: "rbac.manage" });
const UserParams = v.object({ user_id: UserId });

export const listUsersRoute = adminRoute("GET /v1/tenant/users", {
  id: "listUsers",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("users", User) },
  summary: "List users",
  description: "Returns users and the services of API keys (`swk:<id of the key>`) in order of their ids.",
});

/** Person of a tenant, as colleagues see it. */
export const Person = v.object({
  id: v.string(),
  external_id: ExternalId,
  name: v.nullable(v.string()),
  is_active: v.boolean(),
});

export const listPeopleRoute = route("GET /v1/tenant/people", {
  id: "listPeople",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("people", Person) },
  summary: "List the names of colleagues",
  description:
    "Returns the ids and names of all people of the tenant in order of their ids, for every user: whom to share with, and who wrote. Addresses, roles and times are for administrators (`GET /v1/tenant/users`).",
});

export const getUserRoute = adminRoute("GET /v1/tenant/users/{user_id}", {
  id: "getUser",
  params: UserParams,
  replies: {
    200: v.object({
      ...User.entries,
      share_links: describe(
        v.array(v.object({ ...ShareLink.entries, conversation_id: Id })),
        "The latest 100 active links to conversations of the user. Revoke one with `DELETE /v1/chat/{id}/share-links/{link_id}`.",
      ),
    }),
  },
  summary: "Get a user",
});

export const updateUserRoute = adminRoute("PATCH /v1/tenant/users/{user_id}", {
  id: "updateUser",
  params: UserParams,
  body: v.strictObject({ is_active: v.boolean() }),
  replies: { 200: User },
  errors: ["forbidden"],
  summary: "Deactivate or reactivate a user",
  description:
    "Within 30 seconds of the deactivation, requests of the user get 403, and streams end. This includes requests to `/v1` with an API key on behalf of the user, and with API keys that the user created. Links to conversations of the user are closed until the reactivation, unless the policy keeps them. Keys keep their access to the OpenAI-compatible API until they are revoked. What the user owns is kept; erase it with `POST /v1/data-deletions`. Callers cannot deactivate themselves, and users with permissions that they lack.",
});
