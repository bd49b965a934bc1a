import * as v from "valibot";
import { CodeBlock, ImageBlock, ListBlock, TableBlock, TextBlock, VegaBlock } from "../blocks.ts";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, PathId, pageOf, Timestamp, UserId } from "../fields.ts";
import { Held } from "../governance/approvals.ts";
import { Message } from "./messages.ts";

const Permission = v.picklist(["READ", "WRITE"]);

/** Access of a user to a conversation of another user. */
export const Grant = v.object({
  conversation_id: Id,
  user_id: v.string(),
  permission: Permission,
  granted_by: v.string(),
  created_at: Timestamp,
  last_read_at: describe(
    v.nullable(Timestamp),
    "Time at which the user last read messages of the conversation, exact to an hour; null if never.",
  ),
});
export type Grant = v.InferOutput<typeof Grant>;

const GrantParams = v.object({ id: PathId, user_id: UserId });

/** Only the owner manages sharing: users with access to the conversation get a 403, all others a 404. */
const route = routeGroup({ group: "sharing", auth: "jwt" });

export const createGrantRoute = route("POST /v1/chat/{id}/share", {
  id: "createGrant",
  body: v.strictObject({ user_id: UserId, permission: Permission }),
  replies: { 201: Grant, 200: Grant },
  errors: ["forbidden"],
  summary: "Share a conversation with a user",
  description:
    "`READ` allows the user to read the active branch of the conversation and follow its replies. `WRITE` also allows the user to chat in it. Sharing again with the same user updates the permission and returns 200. Returns 404 if the tenant has no such user.",
});

export const listGrantsRoute = route("GET /v1/chat/{id}/share", {
  id: "listGrants",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("grants", Grant) },
  errors: ["forbidden"],
  summary: "List the grants of a conversation",
  description: "Returns grants in order of user id.",
});

export const getGrantRoute = route("GET /v1/chat/{id}/share/{user_id}", {
  id: "getGrant",
  params: GrantParams,
  replies: { 200: Grant },
  errors: ["forbidden"],
  summary: "Get the grant of a user",
});

export const deleteGrantRoute = route("DELETE /v1/chat/{id}/share/{user_id}", {
  id: "deleteGrant",
  params: GrantParams,
  errors: ["forbidden"],
  summary: "Stop sharing a conversation with a user",
  description: "The user loses access immediately.",
});

export const linkLifetimes = ["1h", "24h", "7d", "30d"] as const;

const Lifetime = v.picklist(linkLifetimes);
export type LinkLifetime = v.InferOutput<typeof Lifetime>;

/** Public link to a conversation. It shows the messages up to the creation of the link. */
export const ShareLink = v.object({
  link_id: Id,
  expires_in: Lifetime,
  expires_at: Timestamp,
  status: v.picklist(["active", "revoked", "expired"]),
  views: Integer,
  last_viewed_at: v.nullable(Timestamp),
  created_at: Timestamp,
});
export type ShareLink = v.InferOutput<typeof ShareLink>;

export const createShareLinkRoute = route("POST /v1/chat/{id}/share-link", {
  id: "createShareLink",
  body: v.strictObject({ expires_in: Lifetime }),
  replyHeaders: ["Location"],
  replies: {
    201: v.object({
      link_id: Id,
      token: v.string(),
      url: describe(v.string(), "The URL of the shared conversation, relative to the base URL."),
      expires_in: Lifetime,
      expires_at: Timestamp,
    }),
    202: Held,
  },
  errors: ["forbidden"],
  summary: "Create a share link",
  description:
    "The response is the only one that contains `token`. If the policy requires approval, this returns 202 with an approval, and the first request that gets the approved approval returns the token. Anyone with the link can view the current contents of the conversation until the link expires or is revoked. The link of a temporary conversation expires with it at the latest: see `expires_at`.",
});

export const listShareLinksRoute = route("GET /v1/chat/{id}/share-link", {
  id: "listShareLinks",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("links", ShareLink) },
  errors: ["forbidden"],
  summary: "List share links",
  description: "Returns links in reverse chronological order. Expired and revoked links remain listed for 30 days.",
});

const LinkParams = v.object({ id: PathId, link_id: PathId });

export const getShareLinkRoute = route("GET /v1/chat/{id}/share-links/{link_id}", {
  id: "getShareLink",
  params: LinkParams,
  replies: { 200: ShareLink },
  errors: ["forbidden"],
  summary: "Get a share link",
});

export const revokeShareLinkRoute = route("DELETE /v1/chat/{id}/share-links/{link_id}", {
  id: "revokeShareLink",
  params: LinkParams,
  errors: ["forbidden"],
  summary: "Revoke a share link",
  description:
    "Revocation takes effect immediately. Revoking a link again has no effect. Requires ownership of the conversation or `rbac.manage`; `GET /v1/tenant/users/{user_id}` lists the links of a user.",
});

/** Block in a shared conversation. Citations only name their source, and proposals are omitted. */
const PublicBlock = v.variant("type", [
  TextBlock,
  CodeBlock,
  TableBlock,
  ListBlock,
  v.object({ type: v.literal("citation"), index: Integer, title: v.string() }),
  ImageBlock,
  VegaBlock,
]);
export type PublicBlock = v.InferOutput<typeof PublicBlock>;

/** Message in a shared conversation. */
export const PublicMessage = v.object({
  role: v.picklist(["user", "assistant", "alert"]),
  content: v.array(PublicBlock),
  ...v.pick(Message, ["model", "persona_version", "digital_source_type"]).entries,
  created_at: Timestamp,
});
export type PublicMessage = v.InferOutput<typeof PublicMessage>;

/** Shared conversation as anyone with the link sees it. */
export const SharedConversation = v.object({
  title: v.string(),
  messages: v.array(PublicMessage),
  shared_at: Timestamp,
  expires_at: Timestamp,
  next_cursor: describe(v.nullable(v.string()), "The cursor of the next page. Null on the last page."),
});
export type SharedConversation = v.InferOutput<typeof SharedConversation>;

export const getSharedConversationRoute = route("GET /v1/shared/{token}", {
  id: "getSharedConversation",
  auth: "none",
  rateLimit: "shared_link",
  params: v.object({ token: v.pipe(v.string(), v.maxLength(200)) }),
  query: v.object({ cursor: Cursor }),
  headers: { "x-robots-tag": "noindex" },
  replies: { 200: SharedConversation },
  mediaTypes: ["application/json", "text/html"],
  errors: ["gone"],
  summary: "Get a shared conversation",
  description:
    "Requires no authentication. Each link can be requested 30 times per minute. Send `Accept: text/html` to get a web page. Returns 410 if the link was revoked or has expired, if the conversation was deleted, or while its owner is deactivated, unless the policy keeps such links.",
});
