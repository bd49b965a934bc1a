import * as v from "valibot";
import { Block } from "../blocks.ts";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, pageOf, Timestamp } from "../fields.ts";
import { Tier } from "../tiers.ts";
import { Held } from "./approvals.ts";
import { ExportFormat } from "./policy.ts";

/** A conversation as it is taken out. */
export const ExportedConversation = v.object({
  format: v.literal("switchboard.conversation"),
  version: v.literal(1),
  exported_at: Timestamp,
  conversation: v.object({
    id: Id,
    title: v.string(),
    tier: Tier,
    owner_id: v.string(),
    created_at: Timestamp,
    last_activity_at: Timestamp,
  }),
  messages: v.array(
    v.object({
      message_id: Id,
      role: v.picklist(["user", "assistant", "alert", "system"]),
      author_id: v.nullable(v.string()),
      parent_id: v.nullable(Id),
      status: v.picklist(["complete", "streaming", "interrupted", "failed"]),
      model: v.nullable(v.string()),
      content: v.array(Block),
      created_at: Timestamp,
      edited_at: v.nullable(Timestamp),
    }),
  ),
});
/** A conversation as it is taken out. */
export type ExportedConversation = v.InferOutput<typeof ExportedConversation>;

/** Something that is put together to be fetched: one conversation, or all that is somebody's. */
export const Export = v.object({
  id: Id,
  kind: v.picklist(["conversation", "archive"]),
  conversation_id: v.nullable(Id),
  format: v.picklist(["json", "markdown", "ndjson"]),
  status: v.pipe(
    v.picklist(["pending", "ready", "failed", "delivered"]),
    v.description("`delivered`: given out in the answer to the request, and not kept"),
  ),
  size: v.pipe(v.number(), v.description("Bytes so far")),
  download_url: v.pipe(
    v.nullable(v.string()),
    v.description("Where to fetch it, relative to the base URL, for five minutes; null until it is ready"),
  ),
  created_at: Timestamp,
  finished_at: v.nullable(Timestamp),
  expires_at: Timestamp,
});
/** Something that is put together to be fetched. */
export type Export = v.InferOutput<typeof Export>;

/** The answer to a request for what takes a while to put together. */
const Begun = v.object({ export: Export });

// Not "exports": the CDK keeps that name of a nested stack for itself.
const exports = { group: "export", auth: "jwt" } as const;

export const exportConversation = defineRoute({
  ...exports,
  id: "exportConversation",
  method: "POST",
  path: "/v1/conversations/{id}/export",
  params: IdParams,
  body: v.strictObject({ format: ExportFormat }),
  replies: { 200: ExportedConversation, 202: v.union([Held, Begun]) },
  errors: ["not_found", "forbidden", "conflict"],
  summary: "Export a conversation",
  description:
    "As JSON, or as `text/markdown`: text, order, citations and times are kept. Where the policy asks for sign-off, 202 answers with the approval; where the conversation is too long for one answer, with an export to fetch when it is ready.",
});

export const createExport = defineRoute({
  ...exports,
  id: "createExport",
  method: "POST",
  path: "/v1/exports",
  replies: { 202: v.union([Held, Begun]) },
  errors: ["forbidden"],
  summary: "Have everything one owns put into an archive",
  description:
    "JSON lines: conversations with their messages, folders, notes, memories, personas, templates, feedback, collections with their documents, approvals. It is put together while the caller does something else, and kept for a day.",
});

export const listExports = defineRoute({
  ...exports,
  id: "listExports",
  method: "GET",
  path: "/v1/exports",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("exports", Export) },
  errors: ["invalid_cursor"],
  summary: "List one's exports",
  description: "Newest first.",
});

export const getExport = defineRoute({
  ...exports,
  id: "getExport",
  method: "GET",
  path: "/v1/exports/{id}",
  params: IdParams,
  replies: { 200: Export },
  errors: ["not_found"],
  summary: "Read how an export stands",
});

export const downloadExport = defineRoute({
  id: "downloadExport",
  group: "export",
  method: "GET",
  path: "/v1/downloads/{token}",
  auth: "none",
  streaming: true,
  params: v.object({ token: v.pipe(v.string(), v.maxLength(1_000)) }),
  replies: { 200: v.pipe(v.string(), v.description("The file")) },
  errors: ["not_found", "gone"],
  summary: "Fetch an export",
  description: "Open to whoever has the link, for five minutes.",
});
