import { listFeedback } from "#shared/api/conversations/feedback.ts";
import * as feedback from "#shared/conversations/feedback/feedback-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listFeedback, async ({ principal, query, rights }) => {
  const visibility = (await rights()).permissions.has("usage.read") ? "all" : "own";
  const page = await feedback.listFeedback(principal, visibility, query);
  return pageReply("feedback", page, query.limit);
});
