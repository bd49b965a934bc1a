import { listFeedbackRoute } from "#shared/api/conversations/feedback.ts";
import { listFeedback } from "#shared/conversations/feedback/feedback-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listFeedbackRoute, async ({ principal, query, rights }) => {
  const visibility = (await rights()).permissions.has("usage.read") ? "all" : "own";
  const page = await listFeedback(principal, visibility, query);
  return pageReply("feedback", page, query.limit);
});
