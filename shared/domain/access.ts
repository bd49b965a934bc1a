import type { Conversation } from "../api/conversations.ts";
import { notFound } from "../errors.ts";

/** What a person may do in a conversation, least first. */
export type Access = Conversation["access"];

/**
 * What the user may do in a conversation.
 * @throws ServiceError `not_found` where the user may not even see it
 */
export function accessOf(conversation: { readonly owner_id: string }, userId: string): Access {
  if (conversation.owner_id === userId) return "owner";
  throw notFound();
}

/**
 * A stored conversation as the user gets to see it.
 * @throws ServiceError `not_found` where the user may not see it
 */
export function asSeenBy(userId: string, conversation: Omit<Conversation, "access">): Conversation {
  return { ...conversation, access: accessOf(conversation, userId) };
}
