import { getFeedbackRoute } from "#shared/api/conversations/feedback.ts";
import { getFeedback } from "#shared/conversations/feedback/feedback-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(getFeedbackRoute, async ({ principal, params, rights }) => {
  const entry = await getFeedback(principal, params.id);
  const isOwn = entry.user_id === principal.userId;
  if (!isOwn && !(await rights()).permissions.has("usage.read")) throw notFound();
  return entry;
});
