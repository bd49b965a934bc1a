import { listMessages } from "#shared/api/messages.ts";
import { withRunsUnderWay } from "#shared/chat/streaming-messages.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import * as messages from "#shared/data/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listMessages, async ({ principal, params, query }) => {
  await conversationFor(principal, params.id, "READ");
  const page = await messages.listMessages(principal, params.id, query);
  return {
    messages: await withRunsUnderWay(principal, page.entries, query.order),
    limit: query.limit,
    next_cursor: page.next,
  };
});
