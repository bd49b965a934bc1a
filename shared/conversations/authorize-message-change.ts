import type { Message } from "../api/conversations/messages.ts";
import { ServiceError } from "../lib/errors.ts";
import type { Access } from "./access.ts";

/**
 * Authorizes a user to edit or delete a message. The owner of the conversation may change all messages, users with
 * `WRITE` access their own.
 * @throws ServiceError `forbidden`
 */
export function authorizeMessageChange(message: Message, userId: string, access: Access): void {
  if (access === "owner" || (access === "WRITE" && message.author_id === userId)) return;
  throw new ServiceError("forbidden", "Only its author and the owner of the conversation can change a message.");
}
