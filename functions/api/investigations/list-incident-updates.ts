import { listIncidentUpdatesRoute } from "#shared/api/investigations/updates.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getInvestigation } from "#shared/investigations/investigation-store.ts";
import { findDestination, offeredActions } from "#shared/investigations/updates/find-destination.ts";
import { listUpdates, toIncidentUpdate } from "#shared/investigations/updates/update-store.ts";

export const handler = endpoint(listIncidentUpdatesRoute, async ({ principal, params }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "READ");
  const [destination, updates] = await Promise.all([
    findDestination(principal, investigation),
    listUpdates(principal, params.id),
  ]);
  const { settings, target } = destination ?? {};
  return {
    write_back:
      settings && target
        ? {
            provider: settings.provider,
            site: new URL(settings.url).host,
            target,
            actions: offeredActions(settings),
          }
        : null,
    updates: updates.map(toIncidentUpdate),
  };
});
