import { listInvestigationReplaysRoute } from "#shared/api/investigations/replays.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getInvestigation } from "#shared/investigations/investigation-store.ts";
import { listReplays } from "#shared/investigations/replay-store.ts";

export const handler = endpoint(listInvestigationReplaysRoute, async ({ principal, params }) => {
  const { id, conversation_id } = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, conversation_id, "READ");
  return { replays: await listReplays(principal, id) };
});
