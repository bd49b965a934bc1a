import * as v from "valibot";
import { Id, Integer } from "./fields.ts";

export const MessageAttachment = v.object({
  id: Id,
  file_name: v.string(),
  kind: v.picklist(["image", "file"]),
  media_type: v.string(),
  size: v.pipe(Integer, v.description("The size of the file in bytes.")),
});
export type MessageAttachment = v.InferOutput<typeof MessageAttachment>;
