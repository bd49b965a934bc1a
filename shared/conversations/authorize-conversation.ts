import type { Conversation } from "../api/conversations/conversations.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { type Access, projectFor, requireAccess } from "./access.ts";
import { getConversation } from "./conversation-store.ts";
import { findGrant } from "./sharing/grant-store.ts";

/**
 * Authorizes a user for a conversation and returns its projection for that user. Users other than the owner cost one more
 * read, for their grant. Both reads are strongly consistent, so that a revocation takes effect immediately.
 * @throws ServiceError `not_found` if the user has no access, `forbidden` if the access level is too low
 */
export async function authorizeConversation(member: UserScope, id: string, required: Access): Promise<Conversation> {
  const conversation = await getConversation(member, id);
  const isOwner = conversation.owner_id === member.userId;
  const grant = isOwner ? undefined : await findGrant(member, id, member.userId);
  const projection = projectFor(member.userId, conversation, grant?.permission);
  requireAccess(projection.access, required);
  return projection;
}
