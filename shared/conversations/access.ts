import type { Conversation } from "../api/conversations/conversations.ts";
import { invalidField, notFound, ServiceError } from "../lib/errors.ts";

/** What a person may do in a conversation. */
export type Access = Conversation["access"];

/** What a conversation's owner can grant to somebody else. */
export type Permission = Exclude<Access, "owner">;

const rank: Readonly<Record<Access, number>> = { READ: 1, WRITE: 2, owner: 3 };

/**
 * What the user may do in a conversation. Each access includes those below it: `READ` is to read and follow, `WRITE` to
 * say something as well, all else is the owner's.
 * @param granted what the owner has granted to the user, if anything
 * @throws ServiceError `not_found` where the user may not even see it
 */
export function accessOf(conversation: { readonly owner_id: string }, userId: string, granted?: Permission): Access {
  if (conversation.owner_id === userId) return "owner";
  if (granted) return granted;
  throw notFound();
}

/** @throws ServiceError `forbidden` where the access a person has does not include the one that is needed */
export function requireAccess(access: Access, needed: Access): void {
  if (rank[access] >= rank[needed]) return;
  throw new ServiceError(
    "forbidden",
    needed === "owner" ? "Only the owner of the conversation may do this." : "This needs WRITE access.",
  );
}

/**
 * A stored conversation as the user gets to see it: folder and pin are how its owner keeps it in order, and nobody
 * else's business.
 * @throws ServiceError `not_found` where the user may not see it
 */
export function projectFor(
  userId: string,
  conversation: Omit<Conversation, "access">,
  granted?: Permission,
): Conversation {
  const access = accessOf(conversation, userId, granted);
  return { ...conversation, access, ...(access !== "owner" && { folder_id: null, pinned: false }) };
}

/** @throws ServiceError `validation_failed` for a grant to the owner, who may do everything anyway */
export function checkGrantee(conversation: { readonly owner_id: string }, userId: string): void {
  if (conversation.owner_id !== userId) return;
  throw invalidField({ path: "user_id", location: "body", code: "is_owner", message: "must be somebody else" });
}
