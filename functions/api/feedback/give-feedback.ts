import { giveFeedback } from "#shared/api/conversations/feedback.ts";
import { appSecret } from "#shared/auth/app-secret.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { hashQuery, requireFeedback, requireRateableMessage } from "#shared/conversations/feedback/feedback-rules.ts";
import {
  newFeedback,
  newFeedbackWrites,
  readFeedback,
  replaceFeedbackWrites,
} from "#shared/conversations/feedback/feedback-store.ts";
import { getMessage } from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { createOrReplace } from "#shared/http/idempotency/create-or-replace.ts";
import { Reply } from "#shared/http/reply.ts";
import { recordMetrics } from "#shared/lib/metrics.ts";

export const handler = endpoint(giveFeedback, async ({ principal, body: { query, ...body }, commit }) => {
  await authorizeConversation(principal, body.conversation_id, "READ");
  const message = await getMessage(principal, body.conversation_id, body.message_id);
  requireRateableMessage(message);
  requireFeedback(body, message);
  for (const rule of body.wrong_rules) {
    recordMetrics({ metrics: { guardrail_reported_wrong: 1 }, dimensions: { rule } });
  }
  const query_hash = query === null ? null : hashQuery(appSecret(), principal.tenantId, query);
  const feedback = newFeedback({ ...body, query_hash, user_id: principal.userId });
  return createOrReplace(
    commit,
    (exists) => ({ reply: new Reply(201, feedback), writes: newFeedbackWrites(principal, feedback, exists) }),
    (existing) => {
      const { id, created_at } = readFeedback(existing);
      const replaced = { ...feedback, id, created_at };
      return { reply: new Reply(200, replaced), writes: replaceFeedbackWrites(principal, replaced) };
    },
  );
});
