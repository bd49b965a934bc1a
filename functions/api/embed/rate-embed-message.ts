import { rateEmbedMessageRoute } from "#shared/api/embed/embed.ts";
import { requireRateableMessage } from "#shared/conversations/feedback/feedback-rules.ts";
import {
  newFeedback,
  newFeedbackWrites,
  readFeedback,
  replaceFeedbackWrites,
} from "#shared/conversations/feedback/feedback-store.ts";
import { getMessage } from "#shared/conversations/message-store.ts";
import { embedRateLimit } from "#shared/embed/embed-rate-limit.ts";
import { authorizeEmbedSession } from "#shared/embed/embed-visitor.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { createOrReplace } from "#shared/http/idempotency/create-or-replace.ts";
import { Reply } from "#shared/http/reply.ts";

export const handler = endpoint(
  rateEmbedMessageRoute,
  async ({ principal, params, body: { rating }, commit }) => {
    const { conversation_id, visitor_id } = await authorizeEmbedSession(principal, params.id);
    const { message_id } = params;
    requireRateableMessage(await getMessage(principal, conversation_id, message_id));
    const fields = {
      message_id,
      conversation_id,
      rating,
      query_hash: null,
      category: null,
      comment: null,
      wrong_rules: [],
    };
    const feedback = newFeedback({ ...fields, user_id: visitor_id });
    const reply = new Reply(200, { message_id, rating });
    return createOrReplace(
      commit,
      (exists) => ({ reply, writes: newFeedbackWrites(principal, feedback, exists) }),
      (existing) => {
        const { id, created_at } = readFeedback(existing);
        return { reply, writes: replaceFeedbackWrites(principal, { ...feedback, id, created_at }) };
      },
    );
  },
  embedRateLimit,
);
