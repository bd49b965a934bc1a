import * as v from "valibot";
import { EmbedAttachment } from "../api/embed/embed-attachments.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { ServiceError } from "../lib/errors.ts";

/** @throws ServiceError `forbidden` if visitors of a website cannot attach files */
export function requireAttachments({ attachments }: Pick<EmbedKey, "attachments">): void {
  if (!attachments) throw new ServiceError("forbidden", "Visitors of this website cannot attach files.");
}

/** Projects a file for the visitor who uploaded it. */
export const toEmbedAttachment = (stored: EmbedAttachment): EmbedAttachment => v.parse(EmbedAttachment, stored);
