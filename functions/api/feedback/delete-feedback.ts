import { deleteFeedback } from "#shared/api/conversations/feedback.ts";
import * as feedback from "#shared/conversations/feedback/feedback-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";

export const handler = endpoint(deleteFeedback, async ({ principal, params, rights }) => {
  const found = await feedback.getFeedback(principal, params.id);
  if (found.user_id !== principal.userId) {
    const seesIt = (await rights()).permissions.has("usage.read");
    throw seesIt ? new ServiceError("forbidden", "Only whoever gave it can take it back.") : notFound();
  }
  await feedback.deleteFeedback(principal, found);
});
