import type { Conversation } from "../api/conversations/conversations.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { notFound } from "../lib/errors.ts";
import { type Access, projectFor, requireAccess } from "./access.ts";
import { getConversation } from "./conversation-store.ts";
import { findGrant, recordReading } from "./sharing/grant-store.ts";

interface ConversationMember extends UserScope {
  /** API key of the caller. An access token of the key can be limited to one conversation. */
  readonly apiKey?: { readonly conversationId: string | null };
}

/**
 * Authorizes a user for a conversation and returns it as the user sees it. Users other than the owner cost a second
 * read, for their grant. Both reads are strongly consistent, so that a revocation takes effect immediately.
 * @throws ServiceError `not_found` if the user has no access, `forbidden` if the access level is too low
 */
export async function authorizeConversation(
  member: ConversationMember,
  id: string,
  required: Access,
): Promise<Conversation> {
  return (await authorizeMember(member, id, required)).projection;
}

/**
 * Authorizes a user to read the messages of a conversation, like `authorizeConversation`, and records for its owner that the
 * user reads it.
 * @throws ServiceError `not_found` if the user has no access
 */
export async function openConversation(member: ConversationMember, id: string): Promise<Conversation> {
  const { projection, grant } = await authorizeMember(member, id, "READ");
  if (grant) await recordReading(member, grant);
  return projection;
}

async function authorizeMember(member: ConversationMember, id: string, required: Access) {
  const limit = member.apiKey?.conversationId ?? id;
  if (limit !== id) throw notFound();
  const conversation = await getConversation(member, id);
  const isOwner = conversation.owner_id === member.userId;
  const grant = isOwner ? undefined : await findGrant(member, id, member.userId);
  const projection = projectFor(member.userId, conversation, grant?.permission);
  requireAccess(projection.access, required);
  return { projection, grant };
}
