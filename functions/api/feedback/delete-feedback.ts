import { deleteFeedback } from "#shared/api/conversations/feedback.ts";
import * as feedback from "#shared/conversations/feedback/feedback-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";

export const handler = endpoint(deleteFeedback, async ({ principal, params, rights }) => {
  const entry = await feedback.getFeedback(principal, params.id);
  if (entry.user_id !== principal.userId) {
    const canRead = (await rights()).permissions.has("usage.read");
    throw canRead ? new ServiceError("forbidden", "Only the author can delete feedback.") : notFound();
  }
  await feedback.deleteFeedback(principal, entry);
});
