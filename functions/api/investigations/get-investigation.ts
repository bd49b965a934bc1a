import { getInvestigationRoute } from "#shared/api/investigations/investigations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { findMessage } from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { compileResult } from "#shared/investigations/compile-result.ts";
import { getInvestigation, listMerged, toInvestigation } from "#shared/investigations/investigation-store.ts";
import { readRecords } from "#shared/investigations/record-store.ts";
import { toKnownAlert } from "#shared/webhooks/alert-facts.ts";

export const handler = endpoint(getInvestigationRoute, async ({ principal, params }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "READ");
  const isRunning = investigation.result === null && investigation.message_id !== null;
  const [result, message, merged] = await Promise.all([
    isRunning
      ? readRecords(principal, params.id).then((records) => compileResult(principal, investigation, records))
      : investigation.result,
    findMessage(principal, investigation.conversation_id, investigation.alert_id),
    listMerged(principal, investigation),
  ]);
  return {
    ...toInvestigation(investigation),
    alert: toKnownAlert(message),
    merged: merged.map(toInvestigation),
    result,
  };
});
