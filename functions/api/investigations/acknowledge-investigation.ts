import { acknowledgeInvestigation } from "#shared/api/investigations/investigations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as investigations from "#shared/investigations/investigation-store.ts";
import { timestamp } from "#shared/lib/clock.ts";

export const handler = endpoint(acknowledgeInvestigation, async ({ principal, params }) => {
  const investigation = await investigations.getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "WRITE");
  const acknowledged = { acknowledged_by: principal.userId, acknowledged_at: timestamp() };
  await investigations.changeInvestigation(principal, investigation, investigations.anyStatus, acknowledged);
  return investigations.toInvestigation({ ...investigation, ...acknowledged });
});
