import type { Message } from "../api/conversations/messages.ts";
import { ServiceError } from "../lib/errors.ts";
import type { Access } from "./access.ts";

/**
 * Whether somebody may change a message: its author may, and the owner of the conversation.
 * @throws ServiceError `forbidden`
 */
export function checkChangeable(message: Message, userId: string, access: Access): void {
  if (access === "owner" || (access === "WRITE" && message.author_id === userId)) return;
  throw new ServiceError("forbidden", "Only its author and the owner of the conversation may change a message.");
}
