import type { EmbedKeyPrincipal } from "../auth/principal.ts";
import { beginTurn, type TurnContext } from "../chat/begin-turn.ts";
import type { Turn } from "../chat/turn.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { rateLimited } from "../lib/errors.ts";
import { drawOnDay } from "../tenancy/rate-store.ts";
import { publicPersona, sessionLimits } from "./embed-session.ts";
import { messageSentWrite, type StoredEmbedSession } from "./embed-session-store.ts";
import { visitorOf } from "./embed-visitor.ts";

/** @throws ServiceError `rate_limited` for a visitor who has said as much today as a visitor may */
async function drawOnVisitor(scope: TenantScope, { counted_for }: StoredEmbedSession): Promise<void> {
  const { EMBED_VISITOR_MESSAGES } = env("EMBED_VISITOR_MESSAGES");
  const { admitted, resetAt } = await drawOnDay(scope, `visitor#${counted_for}`, Number(EMBED_VISITOR_MESSAGES));
  if (admitted) return;
  throw rateLimited(resetAt, now(), "You have sent as many messages as a visitor may in a day. ");
}

/**
 * Records what a visitor said, with the session's count, and the run that is to answer it at the persona's tier.
 * @throws ServiceError `not_found` without its persona, `session_expired`, `session_full`, `rate_limited`
 */
export async function beginEmbedTurn(
  principal: EmbedKeyPrincipal,
  session: StoredEmbedSession,
  content: string,
  context: TurnContext,
): Promise<Turn> {
  const persona = await publicPersona(principal, session.persona_id);
  await drawOnVisitor(principal, session);
  const utterance = { conversation_id: session.conversation_id, content, tier: persona?.tier };
  return beginTurn(
    visitorOf(principal, session),
    { ...utterance, parent_message_id: null, regenerate_message_id: null },
    { ...context, transactionWrites: [messageSentWrite(principal, session, sessionLimits())] },
  );
}
