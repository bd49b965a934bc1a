import {
  createConversationRoute,
  deleteConversationRoute,
  getConversationRoute,
  getConversationSummaryRoute,
  listConversationsRoute,
  updateConversationRoute,
} from "#shared/api/conversations/conversations.ts";
import { defaultTier } from "#shared/api/tiers.ts";
import { projectFor } from "#shared/conversations/access.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import {
  deleteConversation,
  newConversation,
  newConversationWrites,
  updateConversation,
} from "#shared/conversations/conversation-store.ts";
import { findVisibleSummary } from "#shared/conversations/list-branch.ts";
import { listConversations } from "#shared/conversations/list-conversations.ts";
import { getMessage } from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";

export const createConversationHandler = endpoint(createConversationRoute, async ({ principal, body, commit }) => {
  const persona = body.persona_id === null ? null : (await authorizePersonaUse(principal, body.persona_id)).persona;
  const tier = body.tier ?? persona?.tier ?? defaultTier;
  const conversation = newConversation(principal.userId, { ...body, tier });
  return commit(projectFor(principal.userId, conversation), ...newConversationWrites(principal, conversation));
});

export const deleteConversationHandler = endpoint(deleteConversationRoute, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  await deleteConversation(principal, params.id);
});

export const getConversationSummaryHandler = endpoint(getConversationSummaryRoute, async ({ principal, params }) => {
  const conversation = await authorizeConversation(principal, params.id, "READ");
  const summary = await findVisibleSummary(principal, conversation, timestamp());
  if (!summary) throw notFound();
  const { text, until_id, created_at } = summary;
  return { text, until_id, created_at };
});

export const getConversationHandler = endpoint(getConversationRoute, ({ principal, params }) =>
  authorizeConversation(principal, params.id, "READ"),
);

export const listConversationsHandler = endpoint(
  listConversationsRoute,
  async ({ principal, query: { cursor, ...query } }) => {
    const page = await listConversations(principal, { ...query, after: cursor });
    return pageReply("conversations", page, query.limit);
  },
);

export const updateConversationHandler = endpoint(updateConversationRoute, async ({ principal, params, body }) => {
  const { message_count } = await authorizeConversation(principal, params.id, "owner");
  // Its answers used no memories, and its readers were told that it would be deleted.
  if (body.temporary === false && message_count > 0)
    throw new ServiceError("conflict", "A temporary conversation with messages cannot be kept.");
  if (body.active_message_id) await getMessage(principal, params.id, body.active_message_id);
  if (body.persona_id) await authorizePersonaUse(principal, body.persona_id);
  return projectFor(principal.userId, await updateConversation(principal, params.id, body));
});
