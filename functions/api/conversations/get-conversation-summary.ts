import { getConversationSummaryRoute } from "#shared/api/conversations/conversations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { findVisibleSummary } from "#shared/conversations/list-branch.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(getConversationSummaryRoute, async ({ principal, params }) => {
  const conversation = await authorizeConversation(principal, params.id, "READ");
  const summary = await findVisibleSummary(principal, conversation, timestamp());
  if (!summary) throw notFound();
  const { text, until_id, created_at } = summary;
  return { text, until_id, created_at };
});
