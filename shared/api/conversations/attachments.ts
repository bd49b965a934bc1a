import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, fileSize, Id, Integer, lineOf, PathId, Timestamp } from "../fields.ts";
import { extractionFailures } from "../knowledge/extraction-failures.ts";
import { MEBIBYTE, UPLOAD_SECONDS } from "../limits.ts";
import { MessageAttachment } from "../message-attachment.ts";
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from "./attachment-limits.ts";

/** Maximum width and height of an image, in pixels: the limit of most models. */
export const MAX_IMAGE_SIDE = 8_000;

/** Number of characters of a file's text that are stored, from its beginning. */
export const MAX_ATTACHMENT_CHARACTERS = 400_000;

export const AttachmentIds = v.pipe(
  v.array(Id),
  v.maxLength(MAX_ATTACHMENTS, "must have at most 10 files"),
  v.check((ids) => new Set(ids).size === ids.length, "must not have a file twice"),
);

/** Reasons for which a file cannot be attached, with the message that tells the user what to do. */
export const attachmentFailures = {
  ...extractionFailures,
  unsupported:
    "This format cannot be read. Attach an image (PNG, JPEG, WebP, GIF), PDF, Office or OpenDocument file, e-mail, text or source code.",
  image_too_large: "The image has more than 8,000 pixels on one side. Make it smaller and attach it again.",
} as const;

/** File that was uploaded for a message of a conversation. */
export const Attachment = v.object({
  ...MessageAttachment.entries,
  conversation_id: Id,
  message_id: describe(v.nullable(Id), "The latest message that was sent with it; null until then."),
  status: describe(
    v.picklist(["pending", "ready", "failed"]),
    "`pending` until the file was uploaded and read. Messages take files that are `ready`.",
  ),
  failure: describe(
    v.nullable(
      v.object({
        code: v.picklist(Object.keys(attachmentFailures) as (keyof typeof attachmentFailures)[]),
        message: v.string(),
      }),
    ),
    "The reason if the file is `failed`, with what to do.",
  ),
  width: describe(v.nullable(Integer), "The width of an image in pixels."),
  height: describe(v.nullable(Integer), "The height of an image in pixels."),
  characters: describe(
    v.nullable(Integer),
    "The length of the text of a file. At most the first 400,000 characters are stored.",
  ),
  created_at: Timestamp,
});
export type Attachment = v.InferOutput<typeof Attachment>;

const route = routeGroup({ group: "messages", auth: "jwt" });

export const createAttachmentRoute = route("POST /v1/conversations/{id}/attachments", {
  id: "createAttachment",
  body: v.strictObject({
    file_name: lineOf(255),
    size: fileSize(MAX_ATTACHMENT_BYTES),
  }),
  storesFiles: true,
  replies: {
    201: v.object({
      attachment: Attachment,
      upload: v.object({
        method: v.literal("PUT"),
        url: describe(v.string(), "The URL to send the file to, as the body of one request."),
        headers: describe(v.record(v.string(), v.string()), "The headers that the request must have."),
        expires_at: Timestamp,
      }),
    }),
  },
  errors: ["forbidden", "unsupported_media_type"],
  summary: "Start the upload of an attachment",
  description: `Returns a presigned URL for a file of up to ${MAX_ATTACHMENT_BYTES / MEBIBYTE} MiB, for a message of the conversation. Send the file to the URL within ${UPLOAD_SECONDS / 60} minutes, wait until the attachment is \`ready\`, and name it in \`attachments\` of \`POST /v1/runtime/chat\`. The file is checked by its content, and metadata of images (EXIF, XMP, GPS position) is removed before anything else reads them. A file that is not sent with a message within a day is deleted.`,
});

const AttachmentParams = v.object({ id: PathId, attachment_id: PathId });

export const getAttachmentRoute = route("GET /v1/conversations/{id}/attachments/{attachment_id}", {
  id: "getAttachment",
  params: AttachmentParams,
  replies: {
    200: v.object({
      ...Attachment.entries,
      download: describe(
        v.nullable(v.object({ url: v.string(), expires_at: Timestamp })),
        "A URL of the file, valid for five minutes, which browsers save; null unless it is `ready`.",
      ),
    }),
  },
  summary: "Get an attachment",
  description:
    "Readers of the conversation can get the files of its messages. A file that was not sent yet is visible to the user who uploaded it.",
});

export const deleteAttachmentRoute = route("DELETE /v1/conversations/{id}/attachments/{attachment_id}", {
  id: "deleteAttachment",
  params: AttachmentParams,
  errors: ["forbidden"],
  summary: "Delete an attachment",
  description:
    "Deletes the file and its text. Messages keep its name, and later answers are given without it. Users can delete their own files, and owners of a conversation all of its files.",
});
