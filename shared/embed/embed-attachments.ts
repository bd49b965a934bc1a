import * as v from "valibot";
import { EmbedAttachment } from "../api/embed/embed-attachments.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { ServiceError } from "../lib/errors.ts";

/** @throws ServiceError `forbidden` if the embed key does not allow visitors to attach files */
export function requireAttachments({ attachments }: Pick<EmbedKey, "attachments">): void {
  if (!attachments) throw new ServiceError("forbidden", "Visitors of this website cannot attach files.");
}

/** Removes the fields of an attachment that visitors do not see. */
export const toEmbedAttachment = (stored: EmbedAttachment): EmbedAttachment => v.parse(EmbedAttachment, stored);
