import * as v from "valibot";
import { Block } from "../blocks.ts";
import { ConversationSummary } from "../conversation-summary.ts";
import { routeGroup } from "../define-route.ts";
import { DigitalSourceType } from "../digital-source-type.ts";
import { Cursor, describe, Id, Integer, Limit, pageOf, Timestamp } from "../fields.ts";
import { MessageAttachment } from "../message-attachment.ts";
import { Tier } from "../tiers.ts";
import { Held } from "./approvals.ts";
import { TranscriptFormat } from "./policy.ts";

export const ExportedConversation = v.object({
  format: v.literal("switchboard.conversation"),
  version: v.literal(1),
  exported_at: Timestamp,
  conversation: v.object({
    id: Id,
    title: v.string(),
    tier: Tier,
    owner_id: v.string(),
    active_message_id: v.optional(v.nullable(Id)),
    created_at: Timestamp,
    last_activity_at: Timestamp,
  }),
  summary: describe(
    v.optional(ConversationSummary),
    "The summary of the beginning, if the conversation was too long for a prompt.",
  ),
  messages: v.array(
    v.object({
      message_id: Id,
      role: v.picklist(["user", "assistant", "alert", "system"]),
      author_id: v.nullable(v.string()),
      parent_id: v.nullable(Id),
      status: v.picklist(["complete", "streaming", "interrupted", "failed"]),
      model: v.nullable(v.string()),
      persona_version: v.optional(Integer),
      digital_source_type: v.optional(DigitalSourceType),
      content: v.array(Block),
      attachments: describe(
        v.optional(v.array(MessageAttachment)),
        "The files of the message, which `getAttachment` downloads.",
      ),
      error: describe(
        v.optional(v.object({ code: v.string(), message: v.string() })),
        "Why the answer failed; only in messages with the status `failed`.",
      ),
      // From these fields, which `listMessages` has too, an import finds the branch that was shown.
      question_id: v.optional(Id),
      regenerated: v.optional(v.literal(true)),
      replaces_id: v.optional(Id),
      after_id: v.optional(Id),
      created_at: Timestamp,
      edited_at: v.nullable(Timestamp),
    }),
  ),
});
export type ExportedConversation = v.InferOutput<typeof ExportedConversation>;

/** Export job for one conversation or for all data of a user. */
export const Export = v.object({
  id: Id,
  kind: v.picklist(["conversation", "archive"]),
  conversation_id: v.nullable(Id),
  format: v.picklist(["json", "markdown", "ndjson"]),
  status: describe(
    v.picklist(["pending", "ready", "failed", "delivered"]),
    "`delivered` means that the response to the request contained the export and nothing was stored.",
  ),
  size: describe(Integer, "The size of the text in bytes so far, without files."),
  download_url: describe(
    v.nullable(v.string()),
    "The download URL, relative to the base URL and valid for five minutes. Null until the export is ready.",
  ),
  zip_urls: describe(
    v.array(v.string()),
    "For a ready archive, further URLs like `download_url`: the same with the files and images of its messages, as ZIP files. The first contains the archive; each has at most 2,000 files of 100 MB together, and `manifest.json`, which lists them with media type, size, SHA-256 and message.",
  ),
  created_at: Timestamp,
  finished_at: v.nullable(Timestamp),
  expires_at: Timestamp,
});
export type Export = v.InferOutput<typeof Export>;

/** Response to a request that started an asynchronous export. */
const ExportAccepted = v.object({ export: Export });

// The group is not "exports", because the CDK reserves that name for nested stacks.
const route = routeGroup({ group: "export", auth: "jwt" });

export const exportConversationRoute = route("POST /v1/conversations/{id}/export", {
  id: "exportConversation",
  body: v.strictObject({ format: TranscriptFormat }),
  mediaTypes: ["application/json", "text/markdown"],
  replyHeaders: ["Location"],
  replies: { 200: ExportedConversation, 202: v.union([Held, ExportAccepted]) },
  errors: ["forbidden", "conflict"],
  summary: "Export a conversation",
  description:
    "Returns the conversation as JSON or `text/markdown`, including text, order, citations and timestamps. Returns 202 with an approval if the policy requires one, or with an export to download later if the conversation is too long for one response.",
});

export const createExportRoute = route("POST /v1/exports", {
  id: "createExport",
  replyHeaders: ["Location"],
  replies: { 202: v.union([Held, ExportAccepted]) },
  errors: ["forbidden"],
  summary: "Export all of the caller's data",
  description:
    "Creates an archive in JSON Lines format with conversations with their messages, summaries and files, folders, notes, memories, personas with their versions, templates, feedback, collections and their documents, and approvals. The export runs asynchronously. While one is pending, further requests return it. The archive is available for one day.",
});

export const listExportsRoute = route("GET /v1/exports", {
  id: "listExports",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("exports", Export) },
  summary: "List the caller's exports",
  description: "Returns exports in reverse chronological order.",
});

export const getExportRoute = route("GET /v1/exports/{id}", {
  id: "getExport",
  replies: { 200: Export },
  summary: "Get export status",
});

export const downloadExportRoute = route("GET /v1/downloads/{token}", {
  id: "downloadExport",
  auth: "none",
  streaming: true,
  params: v.object({ token: v.pipe(v.string(), v.maxLength(1_000)) }),
  mediaTypes: ["text/markdown", "application/x-ndjson", "application/json", "application/zip"],
  replyHeaders: ["Content-Disposition"],
  replies: { 200: ExportedConversation },
  errors: ["gone"],
  summary: "Download an export",
  description: "Requires no authentication. The link is valid for five minutes.",
});
