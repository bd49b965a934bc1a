import { searchMessagesRoute } from "#shared/api/conversations/message-search.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { searchMessages } from "#shared/message-search/search-messages.ts";

export const searchMessagesHandler = endpoint(searchMessagesRoute, async ({ principal, query }) => {
  const { q, limit, folder_id, persona_id, role, created_after, created_before } = query;
  const results = await searchMessages(principal, {
    text: q,
    limit,
    folderId: folder_id,
    personaId: persona_id,
    role,
    after: created_after,
    before: created_before,
  });
  return { query: q, results };
});
