import { giveFeedback } from "#shared/api/conversations/feedback.ts";
import { loadAppSecrets } from "#shared/auth/app-secret.ts";
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

/** Counts reports of findings. The rules are in the log line: they are too many for a dimension of the metric. */
function countReports(rules: readonly string[]): void {
  if (rules.length === 0) return;
  recordMetrics({
    metrics: { guardrail_reported_wrong: rules.length },
    fields: { level: "info", message: "guardrail findings reported as wrong", rules },
  });
}

export const handler = endpoint(giveFeedback, async ({ principal, body: { query, ...body }, commit }) => {
  await authorizeConversation(principal, body.conversation_id, "READ");
  const message = await getMessage(principal, body.conversation_id, body.message_id);
  requireRateableMessage(message);
  requireFeedback(body, message);
  const query_hash = query === null ? null : hashQuery((await loadAppSecrets()).current, principal.tenantId, query);
  const wrong_rules = body.wrong_rules ?? [];
  const feedback = newFeedback({ ...body, wrong_rules, query_hash, user_id: principal.userId });
  return createOrReplace(
    commit,
    (exists) => {
      countReports(wrong_rules);
      return { reply: new Reply(201, feedback), writes: newFeedbackWrites(principal, feedback, exists) };
    },
    (existing) => {
      const earlier = readFeedback(existing);
      const { id, created_at, rating, category, comment, query_hash } = earlier;
      countReports(wrong_rules.filter((rule) => !earlier.wrong_rules.includes(rule)));
      const replaced = {
        ...feedback,
        id,
        created_at,
        ...(body.rating === null && { rating, category, comment, query_hash }),
        ...(body.wrong_rules === undefined && { wrong_rules: earlier.wrong_rules }),
      };
      return { reply: new Reply(200, replaced), writes: replaceFeedbackWrites(principal, replaced) };
    },
  );
});
