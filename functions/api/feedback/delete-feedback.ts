import { deleteFeedback } from "#shared/api/conversations/feedback.ts";
import * as feedback from "#shared/conversations/feedback/feedback-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(deleteFeedback, async ({ principal, params }) => {
  const entry = await feedback.getFeedback(principal, params.id);
  if (entry.user_id !== principal.userId) throw notFound();
  await feedback.deleteFeedback(principal, entry);
});
