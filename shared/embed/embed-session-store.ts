import { defaultTier } from "../api/tiers.ts";
import { deleteConversation, newConversation, newConversationWrites } from "../conversations/conversation-store.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import type { StoredPersona } from "../personas/persona-store.ts";

/** What makes a conversation a visitor's: kept with it, and gone with its expiry. */
export interface StoredEmbedSession {
  readonly conversation_id: string;
  readonly key_id: string;
  readonly persona_id: string | null;
  /** Who the visitor is within the tenant; the conversation's owner. */
  readonly visitor_id: string;
  /** The visitor as the website named it; null where it did not. */
  readonly identified_as: string | null;
  /** Whose daily allowance the messages draw on. */
  readonly counted_for: string;
  readonly messages_sent: number;
  readonly created_at: string;
  readonly expires_at: string;
}

/** How long a session lasts beyond its latest message, and how many messages it takes. */
export interface SessionLimits {
  readonly seconds: number;
  readonly messages: number;
}

const sessionOf = (item: Item) => item as unknown as StoredEmbedSession;

const end = ({ seconds }: SessionLimits) => {
  const expiresAt = now() + seconds * 1_000;
  return { expires_at: timestamp(expiresAt), ttl: Math.ceil(expiresAt / 1_000) };
};

/** The conversation has no session any more, or had one that is over. */
export const sessionExpired = () => new ServiceError("session_expired", "This session is over. Start a new one.");

/** A fresh session, and the writes that make it and its conversation. */
export function newEmbedSession(
  scope: TenantScope,
  visitor: Pick<StoredEmbedSession, "key_id" | "visitor_id" | "identified_as" | "counted_for">,
  persona: StoredPersona | null,
  limits: SessionLimits,
): { session: StoredEmbedSession; writes: Write[] } {
  const { name: title = "Website", id: persona_id = null, tier = defaultTier } = persona ?? {};
  const conversation = newConversation(visitor.visitor_id, { title, tier, folder_id: null, persona_id });
  const { expires_at, ttl } = end(limits);
  const session: StoredEmbedSession = {
    ...visitor,
    conversation_id: conversation.id,
    persona_id,
    messages_sent: 0,
    created_at: conversation.created_at,
    expires_at,
  };
  const item = { discriminator: "embed-session", timestamp: now(), ttl, ...session };
  return {
    session,
    writes: [
      ...newConversationWrites(scope, conversation),
      { put: { ...keys.embedSession(scope.tenantId, conversation.id), ...item } },
    ],
  };
}

/** The session of a conversation, or undefined where there is none any more. */
export async function findEmbedSession(
  scope: TenantScope,
  conversationId: string,
): Promise<StoredEmbedSession | undefined> {
  const item = await tenantTable(scope).get(keys.embedSession(scope.tenantId, conversationId), { consistent: true });
  const session = item && sessionOf(item);
  return session && Date.parse(session.expires_at) > now() ? session : undefined;
}

/** The write that counts a message and prolongs the session; it fails where the session is over or takes no more. */
export function messageSentWrite(
  scope: TenantScope,
  { conversation_id }: StoredEmbedSession,
  limits: SessionLimits,
): Write {
  return {
    update: keys.embedSession(scope.tenantId, conversation_id),
    set: { ...end(limits), timestamp: now() },
    add: { messages_sent: 1 },
    condition: {
      where: "attribute_exists(#pk) AND #expires_at > :moment AND #messages_sent < :limit",
      values: { moment: timestamp(), limit: limits.messages },
      onConditionFailed: (found) =>
        found && sessionOf(found).messages_sent >= limits.messages
          ? new ServiceError("session_full")
          : sessionExpired(),
    },
  };
}

/** Removes the conversation of a session that is over: nobody is left who could see it. */
export async function endEmbedSession(scope: TenantScope, conversationId: string): Promise<void> {
  try {
    await deleteConversation(scope, conversationId);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "not_found") throw error;
  }
}
