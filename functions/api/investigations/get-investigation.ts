import { getInvestigationRoute } from "#shared/api/investigations/investigations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { compileResult } from "#shared/investigations/compile-result.ts";
import { getInvestigation, toInvestigation } from "#shared/investigations/investigation-store.ts";
import { readRecords } from "#shared/investigations/record-store.ts";

export const handler = endpoint(getInvestigationRoute, async ({ principal, params }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "READ");
  const isRunning = investigation.result === null && investigation.message_id !== null;
  const result = isRunning
    ? await compileResult(principal, investigation, await readRecords(principal, params.id))
    : investigation.result;
  return { ...toInvestigation(investigation), result };
});
