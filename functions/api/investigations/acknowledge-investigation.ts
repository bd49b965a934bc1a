import { acknowledgeInvestigationRoute } from "#shared/api/investigations/investigations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import {
  anyStatus,
  changeInvestigation,
  getInvestigation,
  toInvestigation,
} from "#shared/investigations/investigation-store.ts";
import { timestamp } from "#shared/lib/clock.ts";

export const handler = endpoint(acknowledgeInvestigationRoute, async ({ principal, params }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "WRITE");
  const acknowledged = { acknowledged_by: principal.userId, acknowledged_at: timestamp() };
  await changeInvestigation(principal, investigation, anyStatus, acknowledged);
  return toInvestigation({ ...investigation, ...acknowledged });
});
