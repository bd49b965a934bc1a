import type { EmbedSession } from "../api/embed/embed.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { appSecret } from "../auth/app-secret.ts";
import type { EmbedKeyPrincipal } from "../auth/principal.ts";
import { listMessages } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { env } from "../lib/env.ts";
import { notFound } from "../lib/errors.ts";
import { mayUse } from "../personas/persona-rules.ts";
import { findPersona, type StoredPersona } from "../personas/persona-store.ts";
import { findRun, type StoredRun } from "../runs/run-store.ts";
import { withStreamingMessages } from "../runs/streaming-messages.ts";
import {
  findEmbedSession,
  type SessionLimits,
  type StoredEmbedSession,
  sessionExpired,
} from "./embed-session-store.ts";
import { embedMessage, embedPersona } from "./embed-view.ts";
import { sessionId } from "./visitors.ts";

/** What this deployment allows a session. */
export function sessionLimits(): SessionLimits {
  const { EMBED_SESSION_SECONDS, EMBED_SESSION_MESSAGES } = env("EMBED_SESSION_SECONDS", "EMBED_SESSION_MESSAGES");
  return { seconds: Number(EMBED_SESSION_SECONDS), messages: Number(EMBED_SESSION_MESSAGES) };
}

/**
 * The persona that speaks with a website's visitors; null where none was chosen.
 * @throws ServiceError `not_found` where it is gone or not public any more: nobody else takes its place
 */
export async function publicPersona(scope: TenantScope, personaId: string | null): Promise<StoredPersona | null> {
  if (personaId === null) return null;
  const persona = await findPersona(scope, personaId);
  if (!persona || !mayUse(persona, null)) throw notFound();
  return persona;
}

/**
 * The making of an answer of this very session.
 * @throws ServiceError `not_found`
 */
export async function runOfSession(
  scope: TenantScope,
  { conversation_id }: StoredEmbedSession,
  messageId: string,
): Promise<StoredRun> {
  const run = await findRun(scope, messageId);
  if (run?.conversation_id !== conversation_id) throw notFound();
  return run;
}

/** Messages of a session that are shown. */
const shown = 100;

/** A session as its visitor gets to see it. */
export async function readEmbedSession(
  principal: EmbedKeyPrincipal,
  { theme }: EmbedKey,
  session: StoredEmbedSession,
): Promise<EmbedSession> {
  const { conversation_id, persona_id, messages_sent, created_at, expires_at } = session;
  const [persona, page] = await Promise.all([
    publicPersona(principal, persona_id),
    listMessages(principal, conversation_id, { order: "desc", limit: shown }),
  ]);
  const messages = await withStreamingMessages(principal, page.entries.toReversed(), "asc");
  return {
    id: sessionId(appSecret(), principal, conversation_id),
    status: messages_sent < sessionLimits().messages ? "active" : "full",
    persona: embedPersona(persona),
    theme,
    messages: messages.map(embedMessage),
    created_at,
    expires_at,
  };
}

/**
 * A session that was just begun or found again, as its visitor gets to see it.
 * @throws ServiceError `session_expired` where it is over meanwhile
 */
export async function readEmbedSessionOf(
  principal: EmbedKeyPrincipal,
  key: EmbedKey,
  conversationId: string,
): Promise<EmbedSession> {
  const session = await findEmbedSession(principal, conversationId);
  if (!session) throw sessionExpired();
  return readEmbedSession(principal, key, session);
}
