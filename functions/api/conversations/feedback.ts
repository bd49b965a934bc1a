import {
  deleteFeedbackRoute,
  getFeedbackRoute,
  giveFeedbackRoute,
  listFeedbackRoute,
} from "#shared/api/conversations/feedback.ts";
import { loadAppSecrets } from "#shared/auth/app-secret.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import {
  countReports,
  hashQuery,
  mergeFeedback,
  requireFeedback,
  requireRateableMessage,
} from "#shared/conversations/feedback/feedback-rules.ts";
import {
  deleteFeedback,
  getFeedback,
  listFeedback,
  newFeedback,
  newFeedbackWrites,
  readFeedback,
  replaceFeedbackWrites,
} from "#shared/conversations/feedback/feedback-store.ts";
import { getMessage } from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { createOrReplace } from "#shared/http/idempotency/create-or-replace.ts";
import { pageReply, Reply } from "#shared/http/reply.ts";
import { notFound } from "#shared/lib/errors.ts";

export const deleteFeedbackHandler = endpoint(deleteFeedbackRoute, async ({ principal, params }) => {
  const entry = await getFeedback(principal, params.id);
  if (entry.user_id !== principal.userId) throw notFound();
  await deleteFeedback(principal, entry);
});

export const getFeedbackHandler = endpoint(getFeedbackRoute, async ({ principal, params, rights }) => {
  const entry = await getFeedback(principal, params.id);
  const isOwn = entry.user_id === principal.userId;
  if (!isOwn && !(await rights()).permissions.has("usage.read")) throw notFound();
  return entry;
});

export const giveFeedbackHandler = endpoint(
  giveFeedbackRoute,
  async ({ principal, body: { query, ...body }, commit }) => {
    await authorizeConversation(principal, body.conversation_id, "READ");
    const message = await getMessage(principal, body.conversation_id, body.message_id);
    requireRateableMessage(message);
    requireFeedback(body, message);
    const query_hash = query === null ? null : hashQuery((await loadAppSecrets()).current, principal.tenantId, query);
    const { rating, category, comment, wrong_rules = [] } = body;
    const fields = { rating, category, comment, wrong_rules, query_hash };
    const feedback = newFeedback(message, { ...fields, user_id: principal.userId });
    return createOrReplace(
      commit,
      (exists) => {
        countReports(feedback);
        return { reply: new Reply(201, feedback), writes: newFeedbackWrites(principal, feedback, exists) };
      },
      (existing) => {
        const earlier = readFeedback(existing);
        countReports(feedback, earlier);
        const replaced = mergeFeedback(earlier, feedback, body);
        return { reply: new Reply(200, replaced), writes: replaceFeedbackWrites(principal, replaced) };
      },
    );
  },
);

export const listFeedbackHandler = endpoint(listFeedbackRoute, async ({ principal, query, rights }) => {
  const whose = (await rights()).permissions.has("usage.read") ? "all" : "own";
  const page = await listFeedback(principal, { whose, personaId: query.persona_id }, query);
  return pageReply("feedback", page, query.limit);
});
