import * as v from "valibot";
import { CodeBlock, ImageBlock, ListBlock, TableBlock, TextBlock, VegaBlock } from "../blocks.ts";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, PathId, pageOf, Timestamp } from "../fields.ts";
import { Held } from "../governance/approvals.ts";

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

/** Lifetimes a link can have. */
export const linkLifetimes = ["1h", "24h", "7d", "30d"] as const;

const Lifetime = v.picklist(linkLifetimes);
/** A lifetime a link can have. */
export type LinkLifetime = v.InferOutput<typeof Lifetime>;

/** A link that shows a conversation, up to the moment the link was made, to whoever has it. */
export const ShareLink = v.object({
  link_id: Id,
  expires_in: Lifetime,
  expires_at: Timestamp,
  status: v.picklist(["active", "revoked", "expired"]),
  views: v.number(),
  created_at: Timestamp,
});
/** A link that shows a conversation to whoever has it. */
export type ShareLink = v.InferOutput<typeof ShareLink>;

export const createShareLink = defineRoute({
  ...sharing,
  id: "createShareLink",
  method: "POST",
  path: "/v1/chat/{id}/share-link",
  params: IdParams,
  body: v.strictObject({ expires_in: Lifetime }),
  replies: {
    201: v.object({
      link_id: Id,
      token: v.string(),
      url: v.pipe(v.string(), v.description("Relative to the base URL")),
      expires_in: Lifetime,
      expires_at: Timestamp,
    }),
    202: Held,
  },
  errors: ["not_found", "forbidden"],
  summary: "Create a public link to a conversation",
  description:
    "`token` is shown in this answer and never again; where the policy asks for sign-off, in the first read of the approval that 202 answers with. The link shows what the conversation holds now, to anybody who has it, until it expires or is revoked.",
});

export const listShareLinks = defineRoute({
  ...sharing,
  id: "listShareLinks",
  method: "GET",
  path: "/v1/chat/{id}/share-link",
  params: IdParams,
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("links", ShareLink) },
  errors: ["not_found", "forbidden", "invalid_cursor"],
  summary: "List the links to a conversation",
  description: "Newest first; those that do not work any more are listed for another 30 days.",
});

const LinkParams = v.object({ id: PathId, link_id: PathId });

export const getShareLink = defineRoute({
  ...sharing,
  id: "getShareLink",
  method: "GET",
  path: "/v1/chat/{id}/share-links/{link_id}",
  params: LinkParams,
  replies: { 200: ShareLink },
  errors: ["not_found", "forbidden"],
  summary: "Read a link to a conversation",
});

export const revokeShareLink = defineRoute({
  ...sharing,
  id: "revokeShareLink",
  method: "DELETE",
  path: "/v1/chat/{id}/share-links/{link_id}",
  params: LinkParams,
  replies: { 204: null },
  errors: ["not_found", "forbidden"],
  summary: "Revoke a link to a conversation",
  description: "It shows nothing from the next request on. Revoking it again changes nothing.",
});

/** A block as the public gets to see it: a citation names its source and no more; proposals are nobody else's business. */
const PublicBlock = v.variant("type", [
  TextBlock,
  CodeBlock,
  TableBlock,
  ListBlock,
  v.object({ type: v.literal("citation"), index: v.number(), title: v.string() }),
  ImageBlock,
  VegaBlock,
]);
/** A block as the public gets to see it. */
export type PublicBlock = v.InferOutput<typeof PublicBlock>;

/** A message as the public gets to see it. */
export const PublicMessage = v.object({
  role: v.picklist(["user", "assistant", "alert"]),
  content: v.array(PublicBlock),
  created_at: Timestamp,
});
/** A message as the public gets to see it. */
export type PublicMessage = v.InferOutput<typeof PublicMessage>;

/** A conversation as the public gets to see it. */
export const SharedConversation = v.object({
  title: v.string(),
  messages: v.array(PublicMessage),
  shared_at: Timestamp,
  expires_at: Timestamp,
  next_cursor: v.pipe(v.nullable(v.string()), v.description("Where a long conversation goes on; null at its end")),
});
/** A conversation as the public gets to see it. */
export type SharedConversation = v.InferOutput<typeof SharedConversation>;

export const getSharedConversation = defineRoute({
  id: "getSharedConversation",
  group: "sharing",
  method: "GET",
  path: "/v1/shared/{token}",
  auth: "none",
  rateLimit: "shared_link",
  params: v.object({ token: v.pipe(v.string(), v.maxLength(200)) }),
  query: v.object({ cursor: Cursor }),
  headers: { "x-robots-tag": "noindex" },
  replies: { 200: SharedConversation },
  mediaTypes: ["application/json", "text/html"],
  errors: ["not_found", "gone", "invalid_cursor"],
  summary: "View a shared conversation",
  description:
    "Open to whoever has the link, 30 times a minute. `Accept: text/html` gets a page to read. A link that was revoked, has expired or whose conversation is deleted is 410.",
});
