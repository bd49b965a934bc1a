import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import type { EmbedKeyPrincipal } from "../auth/principal.ts";
import { beginTurn, type TurnContext, type TurnRequest } from "../chat/begin-turn.ts";
import type { Turn } from "../chat/turn.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { rateLimited } from "../lib/errors.ts";
import { consumeDailyQuota } from "../tenancy/rate-store.ts";
import { countMessageWrite, type StoredEmbedSession } from "../visitors/embed-session-store.ts";
import { withAssistantCheck } from "../visitors/handover-store.ts";
import { getPublicPersona, getSessionLimits } from "./embed-session.ts";
import { toVisitorPrincipal } from "./embed-visitor.ts";
import { withVisitorTools } from "./visitor-tools.ts";

/**
 * Counts a message toward the visitor's daily limit.
 * @throws ServiceError `rate_limited` if the limit is exceeded
 */
export async function consumeVisitorQuota(scope: TenantScope, { counted_for }: StoredEmbedSession): Promise<void> {
  const { EMBED_VISITOR_MESSAGES } = env("EMBED_VISITOR_MESSAGES");
  const { admitted, resetAt } = await consumeDailyQuota(
    scope,
    `visitor#${counted_for}`,
    Number(EMBED_VISITOR_MESSAGES),
  );
  if (admitted) return;
  throw rateLimited(resetAt, now(), "You have reached the daily message limit for visitors. ");
}

/**
 * Begins a turn for a visitor's message with the persona's model tier, and counts the message in the session.
 * @throws HandoverChanged if the session was handed over to a person
 * @throws ServiceError `not_found` if the persona was deleted or is not public, `session_expired`, `session_full`,
 * `rate_limited`
 */
export async function beginEmbedTurn(
  principal: EmbedKeyPrincipal,
  embedKey: EmbedKey,
  session: StoredEmbedSession,
  message: Pick<TurnRequest, "attachments"> & { readonly content: string },
  context: TurnContext,
): Promise<Turn> {
  await getPublicPersona(principal, session.persona_id);
  await consumeVisitorQuota(principal, session);
  return beginTurn(
    withVisitorTools(toVisitorPrincipal(principal, session), embedKey, session),
    {
      conversation_id: session.conversation_id,
      ...message,
      hasPersonaTier: true,
      parent_message_id: null,
      regenerate_message_id: null,
    },
    {
      ...context,
      embedKey,
      transactionWrites: [
        countMessageWrite(principal, session, getSessionLimits(embedKey)),
        ...(embedKey.handover ? [withAssistantCheck(principal, session)] : []),
      ],
    },
  );
}
