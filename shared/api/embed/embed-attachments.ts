import * as v from "valibot";
import { Attachment, createAttachmentRoute } from "../conversations/attachments.ts";
import { routeGroup } from "../define-route.ts";
import { PathId } from "../fields.ts";
import { SessionId } from "./embed.ts";

/** File of a visitor as the widget sees it. */
export const EmbedAttachment = v.pick(Attachment, ["id", "file_name", "kind", "size", "status", "failure"]);
export type EmbedAttachment = v.InferOutput<typeof EmbedAttachment>;

const route = routeGroup({ group: "embed", auth: "embed-key" });
const sessionErrors = ["origin_not_allowed", "not_found", "session_expired", "forbidden"] as const;

export const createEmbedAttachmentRoute = route("POST /v1/embed/sessions/{id}/attachments", {
  id: "createEmbedAttachment",
  params: v.object({ id: SessionId }),
  body: createAttachmentRoute.body,
  storesFiles: true,
  replies: {
    201: v.object({ attachment: EmbedAttachment, upload: createAttachmentRoute.replies[201].entries.upload }),
  },
  errors: [...sessionErrors, "visitor_not_verified", "unsupported_media_type"],
  summary: "Start the upload of a visitor's file",
  description:
    "Only for keys with `attachments`. Works as `POST /v1/conversations/{id}/attachments`; name the file in `attachments` of the next message.",
});

export const getEmbedAttachmentRoute = route("GET /v1/embed/sessions/{id}/attachments/{attachment_id}", {
  id: "getEmbedAttachment",
  params: v.object({ id: SessionId, attachment_id: PathId }),
  replies: { 200: EmbedAttachment },
  errors: sessionErrors,
  summary: "Get the state of a visitor's file",
});
