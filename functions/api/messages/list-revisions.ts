import { listRevisionsRoute } from "#shared/api/conversations/messages.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { findHiddenFromReader } from "#shared/conversations/list-branch.ts";
import { listRevisions } from "#shared/conversations/message-revisions.ts";
import { getMessage } from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(listRevisionsRoute, async ({ principal, params, query }) => {
  const conversation = await authorizeConversation(principal, params.id, "READ");
  if ((await findHiddenFromReader(principal, conversation)).has(params.mid)) throw notFound();
  const message = await getMessage(principal, params.id, params.mid);
  const page = await listRevisions(principal, message, query);
  return pageReply("revisions", page, query.limit);
});
