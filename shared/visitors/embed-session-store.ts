import * as v from "valibot";
import { MAX_TRANSCRIPTS } from "../api/embed/embed.ts";
import { VisitorEntries } from "../api/embed/visitor-form.ts";
import { defaultTier } from "../api/tiers.ts";
import { deleteConversation, newConversation, newConversationWrites } from "../conversations/conversation-store.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { allOf, exists, greaterThan, lessThan, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import type { StoredPersona } from "../personas/persona-store.ts";

const StoredEmbedSession = v.object({
  conversation_id: v.string(),
  key_id: v.string(),
  persona_id: v.nullable(v.string()),
  /** Visitor id within the tenant. The visitor owns the conversation. */
  visitor_id: v.string(),
  /** Visitor id derived from the website's own id of the visitor; null for anonymous visitors. */
  identified_as: v.nullable(v.string()),
  /**
   * Visitor id or address hash to which messages are counted for the daily quota: `identified_as` for a verified visitor,
   * otherwise a hash of the client address.
   */
  counted_for: v.string(),
  /** Visitor as the latest token of the website named it; null for sessions of keys without tools, and without a token. */
  visitor: v.optional(
    v.nullable(v.object({ sub: v.string(), email: v.nullable(v.string()), until: v.string() })),
    null,
  ),
  /** Values that the visitor entered before the chat; null without a form. */
  form: v.optional(v.nullable(VisitorEntries), null),
  messages_sent: v.number(),
  /** Latest request for the conversation by e-mail; null without one. */
  transcript: v.nullable(v.object({ email: v.string(), requested_at: v.string() })),
  transcripts_requested: v.number(),
  /** Origin of the page that started the session. */
  origin: v.nullable(v.string()),
  /** URL of the page that started the session, without query and fragment. */
  page: v.nullable(v.string()),
  created_at: v.string(),
  expires_at: v.string(),
  deleted_at: v.string(),
});
/** Session of a widget visitor, stored with its conversation until it expires. */
export type StoredEmbedSession = v.InferOutput<typeof StoredEmbedSession>;

/** Limits of a session: idle time until it expires, days until it is deleted, and number of messages. */
export interface SessionLimits {
  readonly idleTimeoutSeconds: number;
  readonly keptDays: number;
  readonly maxMessages: number;
}

export const readSession = itemReader(StoredEmbedSession);

const MS_PER_DAY = 86_400_000;

const toExpiry = ({ idleTimeoutSeconds, keptDays }: SessionLimits) => {
  const expiresAt = now() + idleTimeoutSeconds * 1_000;
  const deletedAt = Math.max(expiresAt, now() + keptDays * MS_PER_DAY);
  return {
    expires_at: timestamp(expiresAt),
    deleted_at: timestamp(deletedAt),
    ttl: Math.ceil(deletedAt / 1_000),
  };
};

export const sessionExpired = () => new ServiceError("session_expired", "The session has expired. Start a new one.");

/** Creates a session and the writes that store it with its conversation. */
export function newEmbedSession(
  scope: TenantScope,
  visitor: Pick<
    StoredEmbedSession,
    "key_id" | "visitor_id" | "identified_as" | "counted_for" | "origin" | "page" | "visitor" | "form"
  >,
  persona: StoredPersona | null,
  limits: SessionLimits,
): { session: StoredEmbedSession; writes: Write[] } {
  const { name: title = "Website", id: persona_id = null, tier = defaultTier } = persona ?? {};
  const conversation = newConversation(visitor.visitor_id, { title, tier, folder_id: null, persona_id });
  const { ttl, ...expiry } = toExpiry(limits);
  const session: StoredEmbedSession = {
    ...visitor,
    conversation_id: conversation.id,
    persona_id,
    messages_sent: 0,
    transcript: null,
    transcripts_requested: 0,
    created_at: conversation.created_at,
    ...expiry,
  };
  const item = { discriminator: "embed-session", timestamp: now(), ttl, ...session };
  return {
    session,
    writes: [
      ...newConversationWrites(scope, conversation),
      {
        put: {
          ...keys.embedSession(scope.tenantId, conversation.id),
          ...indexKeys.visitorSession(scope.tenantId, session.key_id, conversation.id),
          ...item,
        },
      },
    ],
  };
}

/** Finds the session of a conversation; undefined if it has expired. */
export async function findEmbedSession(
  scope: TenantScope,
  conversationId: string,
  { consistent = true } = {},
): Promise<StoredEmbedSession | undefined> {
  const item = await tenantTable(scope).get(keys.embedSession(scope.tenantId, conversationId), { consistent });
  const session = item && readSession(item);
  return session && Date.parse(session.expires_at) > now() ? session : undefined;
}

/**
 * Returns the session of a conversation on one website, even if it has expired for the visitor but is not deleted yet.
 * @throws ServiceError `not_found`
 */
export async function getSessionOfKey(
  scope: TenantScope,
  keyId: string,
  conversationId: string,
): Promise<StoredEmbedSession> {
  const item = await tenantTable(scope).get(keys.embedSession(scope.tenantId, conversationId), { consistent: true });
  const session = item && readSession(item);
  if (session?.key_id !== keyId) throw notFound();
  return session;
}

/**
 * Finds the session of a conversation, even if it has expired for the visitor but is not deleted yet; undefined for
 * conversations of users.
 */
export async function findSessionOf(
  scope: TenantScope,
  conversationId: string,
): Promise<StoredEmbedSession | undefined> {
  const item = await tenantTable(scope).get(keys.embedSession(scope.tenantId, conversationId));
  return item && readSession(item);
}

/**
 * Lists the sessions of a website, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listSessionsOfKey(
  scope: TenantScope,
  keyId: string,
  request: PageRequest,
): Promise<Page<StoredEmbedSession>> {
  const { gsi1pk: pk, gsi1sk: prefix } = indexKeys.visitorSession(scope.tenantId, keyId, "");
  const list = { list: "visitor-sessions", filters: { keyId }, index: "gsi1", pk, prefix, descending: true } as const;
  return mapPage(await listPage(scope, list, request), readSession);
}

/**
 * Deletes a session with its conversation.
 * @throws ServiceError `not_found`
 */
export async function deleteSession(scope: TenantScope, { conversation_id }: StoredEmbedSession): Promise<void> {
  await deleteConversation(scope, conversation_id, [{ delete: keys.embedSession(scope.tenantId, conversation_id) }]);
}

/** Returns the write that stores whom a later token names. It throws `session_expired`. */
export const visitorWrite = (
  scope: TenantScope,
  { conversation_id }: Pick<StoredEmbedSession, "conversation_id">,
  visitor: StoredEmbedSession["visitor"],
): Write => ({
  update: keys.embedSession(scope.tenantId, conversation_id),
  set: { visitor, timestamp: now() },
  condition: allOf([exists(), greaterThan({ expires_at: timestamp() })], sessionExpired),
});

/** Returns the write that counts a message and extends the session. It throws `session_expired` or `session_full`. */
export function countMessageWrite(
  scope: TenantScope,
  { conversation_id }: StoredEmbedSession,
  limits: SessionLimits,
): Write {
  return {
    update: keys.embedSession(scope.tenantId, conversation_id),
    set: { ...toExpiry(limits), timestamp: now() },
    add: { messages_sent: 1 },
    condition: allOf(
      [exists(), greaterThan({ expires_at: timestamp() }), lessThan({ messages_sent: limits.maxMessages })],
      (existing) =>
        existing && readSession(existing).messages_sent >= limits.maxMessages
          ? new ServiceError("session_full")
          : sessionExpired(),
    ),
  };
}

/**
 * Returns the write that stores a visitor's request for the conversation by e-mail. It throws `session_expired`, or `conflict` if
 * the conversation is empty or too much was requested.
 */
export const transcriptWrite = (scope: TenantScope, { conversation_id }: StoredEmbedSession, email: string): Write => ({
  update: keys.embedSession(scope.tenantId, conversation_id),
  set: { transcript: { email, requested_at: timestamp() }, timestamp: now() },
  add: { transcripts_requested: 1 },
  condition: allOf(
    [
      exists(),
      greaterThan({ expires_at: timestamp(), messages_sent: 0 }),
      lessThan({ transcripts_requested: MAX_TRANSCRIPTS }),
    ],
    (existing) => {
      const session = existing && readSession(existing);
      if (!session || session.expires_at <= timestamp()) return sessionExpired();
      const reason =
        session.messages_sent === 0
          ? "The conversation has no messages yet."
          : `The conversation was requested ${MAX_TRANSCRIPTS} times already.`;
      return new ServiceError("conflict", reason);
    },
  ),
});

/** Deletes the conversation of a deleted session, which no user can see. Does nothing if the conversation does not exist. */
export async function endEmbedSession(scope: TenantScope, conversationId: string): Promise<void> {
  try {
    await deleteConversation(scope, conversationId);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "not_found") throw error;
  }
}
