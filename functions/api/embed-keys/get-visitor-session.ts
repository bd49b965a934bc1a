import { getVisitorSessionRoute } from "#shared/api/embed/visitors.ts";
import { listMessages } from "#shared/conversations/message-store.ts";
import { getSessionOfKey } from "#shared/embed/embed-session-store.ts";
import { findRatings, toOwnerMessage, toVisitorSession } from "#shared/embed/visitor-sessions.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getVisitorSessionRoute, async ({ principal, params, query }) => {
  const session = await getSessionOfKey(principal, params.id, params.session_id);
  const [ratings, { entries, next }] = await Promise.all([
    findRatings(principal, session),
    listMessages(principal, session.conversation_id, { order: "asc", ...query }),
  ]);
  return {
    session: await toVisitorSession(principal, session, ratings),
    messages: await Promise.all(
      entries.map(async (message) => ({
        ...(await toOwnerMessage(principal, message)),
        rating: ratings.get(message.message_id) ?? null,
      })),
    ),
    limit: query.limit,
    next_cursor: next,
  };
});
