import { createInvestigationReplayRoute } from "#shared/api/investigations/replays.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getInvestigation } from "#shared/investigations/investigation-store.ts";
import { newReplay } from "#shared/investigations/new-replay.ts";
import { createReplay } from "#shared/investigations/replay-store.ts";

export const handler = endpoint(createInvestigationReplayRoute, async ({ principal, params, body }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "WRITE");
  const replay = await newReplay(principal, investigation, body);
  await createReplay(principal, investigation.conversation_id, replay);
  return replay;
});
