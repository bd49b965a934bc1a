import { deleteFeedbackRoute } from "#shared/api/conversations/feedback.ts";
import { deleteFeedback, getFeedback } from "#shared/conversations/feedback/feedback-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(deleteFeedbackRoute, async ({ principal, params }) => {
  const entry = await getFeedback(principal, params.id);
  if (entry.user_id !== principal.userId) throw notFound();
  await deleteFeedback(principal, entry);
});
