import { getFeedback } from "#shared/api/feedback.ts";
import * as feedback from "#shared/data/feedback-store.ts";
import { notFound } from "#shared/errors.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getFeedback, async ({ principal, params, rights }) => {
  const found = await feedback.getFeedback(principal, params.id);
  const isOwn = found.user_id === principal.userId;
  if (!isOwn && !(await rights()).permissions.has("usage.read")) throw notFound();
  return found;
});
