import type { Conversation } from "../api/conversations/conversations.ts";
import { invalidField, notFound, ServiceError } from "../lib/errors.ts";

export type Access = Conversation["access"];

type Permission = Exclude<Access, "owner">;

const rank: Readonly<Record<Access, number>> = { READ: 1, WRITE: 2, owner: 3 };

/**
 * Returns the access level of a user: `READ` allows reading, `WRITE` also posting, and `owner` all operations.
 * @param granted permission that the owner granted to the user, if any
 * @throws ServiceError `not_found` if the user has no access
 */
function resolveAccess(conversation: { readonly owner_id: string }, userId: string, granted?: Permission): Access {
  if (conversation.owner_id === userId) return "owner";
  if (granted) return granted;
  throw notFound();
}

/** @throws ServiceError `forbidden` if the access level is lower than the required one */
export function requireAccess(access: Access, required: Access): void {
  if (rank[access] >= rank[required]) return;
  throw new ServiceError(
    "forbidden",
    required === "owner"
      ? "Only the owner of the conversation can perform this operation."
      : "This operation requires WRITE access to the conversation.",
  );
}

/**
 * Returns a conversation as one of its users sees it. Folder and pin are private to the owner and hidden from others.
 * @throws ServiceError `not_found` if the user has no access
 */
export function projectFor(
  userId: string,
  conversation: Omit<Conversation, "access">,
  granted?: Permission,
): Conversation {
  const access = resolveAccess(conversation, userId, granted);
  return { ...conversation, access, ...(access !== "owner" && { folder_id: null, pinned: false }) };
}

/** @throws ServiceError `validation_failed` if the grantee is the owner, who has full access anyway */
export function requireNonOwnerGrantee(conversation: { readonly owner_id: string }, userId: string): void {
  if (conversation.owner_id !== userId) return;
  throw invalidField("user_id", "is_owner", "must not be the owner of the conversation");
}
