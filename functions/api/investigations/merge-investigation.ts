import { mergeInvestigationRoute } from "#shared/api/investigations/investigations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getInvestigation, toInvestigation } from "#shared/investigations/investigation-store.ts";
import { mergeInvestigation } from "#shared/investigations/merge-investigation.ts";

export const handler = endpoint(mergeInvestigationRoute, async ({ principal, params, body }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "WRITE");
  return toInvestigation(await mergeInvestigation(principal, investigation, body.into));
});
