import { listFeedback } from "#shared/api/conversations/feedback.ts";
import * as feedback from "#shared/conversations/feedback/feedback-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listFeedback, async ({ principal, query, rights }) => {
  const whose = (await rights()).permissions.has("usage.read") ? "all" : "own";
  const { entries, next } = await feedback.listFeedback(principal, whose, query);
  return { feedback: [...entries], limit: query.limit, next_cursor: next };
});
