import { silenceInvestigationRoute } from "#shared/api/investigations/investigations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import {
  anyStatus,
  changeInvestigation,
  getInvestigation,
  toInvestigation,
} from "#shared/investigations/investigation-store.ts";
import { now, timestamp } from "#shared/lib/clock.ts";

export const handler = endpoint(silenceInvestigationRoute, async ({ principal, params, body }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "WRITE");
  const silenced_until = body.minutes === null ? null : timestamp(now() + body.minutes * 60_000);
  await changeInvestigation(principal, investigation, anyStatus, { silenced_until });
  return toInvestigation({ ...investigation, silenced_until });
});
