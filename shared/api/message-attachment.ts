import * as v from "valibot";
import { describe, Id, Integer } from "./fields.ts";

export const MessageAttachment = v.object({
  id: Id,
  file_name: v.string(),
  kind: v.picklist(["image", "file"]),
  media_type: v.string(),
  size: describe(Integer, "The size of the file in bytes."),
});
export type MessageAttachment = v.InferOutput<typeof MessageAttachment>;
