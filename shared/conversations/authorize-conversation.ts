import type { Conversation } from "../api/conversations/conversations.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { type Access, projectFor, requireAccess } from "./access.ts";
import { getConversation } from "./conversation-store.ts";
import { findGrant } from "./sharing/grant-store.ts";

/**
 * A conversation as the person sees it, for something that needs at least that access. The grant of somebody who is
 * not the owner costs one more read; both are strongly consistent, so what is revoked is revoked at once.
 * @throws ServiceError `not_found` where the person may not see it, `forbidden` where that is all the person may
 */
export async function authorizeConversation(member: UserScope, id: string, needed: Access): Promise<Conversation> {
  const conversation = await getConversation(member, id);
  const isOwner = conversation.owner_id === member.userId;
  const grant = isOwner ? undefined : await findGrant(member, id, member.userId);
  const seen = projectFor(member.userId, conversation, grant?.permission);
  requireAccess(seen.access, needed);
  return seen;
}
