import { deleteFeedback } from "#shared/api/feedback.ts";
import * as feedback from "#shared/data/feedback-store.ts";
import { notFound, ServiceError } from "#shared/errors.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteFeedback, async ({ principal, params, rights }) => {
  const found = await feedback.getFeedback(principal, params.id);
  if (found.user_id !== principal.userId) {
    const seesIt = (await rights()).permissions.has("usage.read");
    throw seesIt ? new ServiceError("forbidden", "Only whoever gave it can take it back.") : notFound();
  }
  await feedback.deleteFeedback(principal, found);
});
