import * as v from "valibot";
import { defineRoute } from "./define-route.ts";
import { Cursor, Id, IdParams, Limit, PathId, pageOf, Timestamp } from "./fields.ts";

const UserId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._:@|-]{1,128}$/, "must be a user id"));

const Permission = v.picklist(["READ", "WRITE"]);

/** What the owner of a conversation allows somebody else. */
export const Grant = v.object({
  conversation_id: Id,
  user_id: v.string(),
  permission: Permission,
  granted_by: v.string(),
  created_at: Timestamp,
});
/** What the owner of a conversation allows somebody else. */
export type Grant = v.InferOutput<typeof Grant>;

const GrantParams = v.object({ id: PathId, user_id: UserId });

/** Sharing is the owner's: whom the conversation is shared with gets a 403, everybody else a 404. */
const sharing = { group: "sharing", auth: "jwt" } as const;

export const createGrant = defineRoute({
  ...sharing,
  id: "createGrant",
  method: "POST",
  path: "/v1/chat/{id}/share",
  params: IdParams,
  body: v.strictObject({ user_id: UserId, permission: Permission }),
  replies: { 201: Grant, 200: Grant },
  errors: ["not_found", "forbidden"],
  summary: "Share a conversation with somebody",
  description:
    "`READ` lets the person read the conversation and follow its replies, `WRITE` chat in it as well. Sharing again changes the permission and answers 200. A person the tenant does not know is a 404.",
});

export const listGrants = defineRoute({
  ...sharing,
  id: "listGrants",
  method: "GET",
  path: "/v1/chat/{id}/share",
  params: IdParams,
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("grants", Grant) },
  errors: ["not_found", "forbidden", "invalid_cursor"],
  summary: "List whom a conversation is shared with",
  description: "By user id.",
});

export const getGrant = defineRoute({
  ...sharing,
  id: "getGrant",
  method: "GET",
  path: "/v1/chat/{id}/share/{user_id}",
  params: GrantParams,
  replies: { 200: Grant },
  errors: ["not_found", "forbidden"],
  summary: "Read what somebody is granted",
});

export const deleteGrant = defineRoute({
  ...sharing,
  id: "deleteGrant",
  method: "DELETE",
  path: "/v1/chat/{id}/share/{user_id}",
  params: GrantParams,
  replies: { 204: null },
  errors: ["not_found", "forbidden"],
  summary: "Stop sharing a conversation with somebody",
  description: "The person does not see the conversation any more from the next request on.",
});
