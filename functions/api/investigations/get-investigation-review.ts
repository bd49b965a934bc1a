import { getInvestigationReviewRoute } from "#shared/api/investigations/investigations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getInvestigation } from "#shared/investigations/investigation-store.ts";
import { renderReview } from "#shared/investigations/render-review.ts";
import { ServiceError } from "#shared/lib/errors.ts";

export const handler = endpoint(getInvestigationReviewRoute, async ({ principal, params }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "READ");
  if (!investigation.result) throw new ServiceError("conflict", "The investigation has no result yet.");
  const { similar, ...review } = await renderReview(principal, investigation, investigation.result);
  return { ...review, similar: [...similar] };
});
