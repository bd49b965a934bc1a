import type { EmbedSession } from "../api/embed/embed.ts";
import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import type { EmbedKeyPrincipal } from "../auth/principal.ts";
import { listMessagesAfter } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { hideSources } from "../knowledge/readers/hide-sources.ts";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { notFound } from "../lib/errors.ts";
import { canUsePersona } from "../personas/persona-rules.ts";
import { findPersona, type StoredPersona } from "../personas/persona-store.ts";
import { findRun, type StoredRun } from "../runs/run-store.ts";
import { withStreamingMessages } from "../runs/streaming-messages.ts";
import {
  findEmbedSession,
  type SessionLimits,
  type StoredEmbedSession,
  sessionExpired,
} from "../visitors/embed-session-store.ts";
import { isOpenAt } from "../visitors/opening-hours.ts";
import { toEmbedMessage, toEmbedPersona } from "./public-projections.ts";
import { signSessionId } from "./visitor-ids.ts";

/**
 * Returns the session limits: retention from the embed key, the others from the settings of the deployment, whose defaults are
 * in `infra/configuration.md`.
 */
export function getSessionLimits({ session_days }: Pick<EmbedKey, "session_days">): SessionLimits {
  const { EMBED_SESSION_SECONDS, EMBED_SESSION_MESSAGES } = env("EMBED_SESSION_SECONDS", "EMBED_SESSION_MESSAGES");
  return {
    idleTimeoutSeconds: Number(EMBED_SESSION_SECONDS),
    keptDays: session_days,
    maxMessages: Number(EMBED_SESSION_MESSAGES),
  };
}

/**
 * Returns the persona of a session; null if the session was started without one.
 * @throws ServiceError `not_found` if the persona was deleted or is no longer public
 */
export async function getPublicPersona(scope: TenantScope, personaId: string | null): Promise<StoredPersona | null> {
  if (personaId === null) return null;
  const persona = await findPersona(scope, personaId);
  if (!persona || !canUsePersona(persona, null)) throw notFound();
  return persona;
}

/**
 * Returns the run that generates an answer of this session.
 * @throws ServiceError `not_found` if it belongs to another conversation
 */
export async function getSessionRun(
  scope: TenantScope,
  { conversation_id }: StoredEmbedSession,
  messageId: string,
): Promise<StoredRun> {
  const run = await findRun(scope, messageId);
  if (run?.conversation_id !== conversation_id) throw notFound();
  return run;
}

/** Maximum number of messages that a visitor gets with the session, the newest ones. */
export const MAX_SESSION_MESSAGES = 100;

/**
 * Returns a session as its visitor sees it, with persona and latest messages.
 * @throws ServiceError `not_found` if the persona was deleted or is no longer public
 */
export async function buildEmbedSession(
  principal: EmbedKeyPrincipal,
  key: EmbedKey,
  session: StoredEmbedSession,
): Promise<EmbedSession> {
  const { theme, attachments, transcripts, handover } = key;
  const { conversation_id, persona_id, messages_sent, created_at, expires_at } = session;
  const [persona, stored, { current }] = await Promise.all([
    getPublicPersona(principal, persona_id),
    listMessagesAfter(principal, conversation_id, undefined, MAX_SESSION_MESSAGES),
    loadAppSecrets(),
  ]);
  // Visitors read knowledge of the whole tenant only.
  const reader = { tenantId: principal.tenantId, userId: null };
  const messages = await withStreamingMessages(principal, stored, "asc");
  return {
    id: signSessionId(current, principal, conversation_id),
    status: messages_sent < getSessionLimits(key).maxMessages ? "active" : "full",
    persona: toEmbedPersona(persona),
    theme,
    ...(attachments && { attachments }),
    ...(transcripts && { transcripts }),
    ...(handover && { handover: { is_open: isOpenAt(handover.hours, now()) } }),
    messages: (await hideSources(reader, messages)).map(toEmbedMessage),
    created_at,
    expires_at,
  };
}

/**
 * Returns a session that was just started or resumed, as its visitor sees it.
 * @throws ServiceError `session_expired` if it has expired in the meantime
 */
export async function loadEmbedSession(
  principal: EmbedKeyPrincipal,
  key: EmbedKey,
  conversationId: string,
): Promise<EmbedSession> {
  const session = await findEmbedSession(principal, conversationId);
  if (!session) throw sessionExpired();
  return buildEmbedSession(principal, key, session);
}
