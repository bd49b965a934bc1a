import { createIncidentUpdateRoute, listIncidentUpdatesRoute } from "#shared/api/investigations/updates.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { anyStatus, changeInvestigation, getInvestigation } from "#shared/investigations/investigation-store.ts";
import { findDestination, offeredActions } from "#shared/investigations/updates/find-destination.ts";
import { requestUpdate } from "#shared/investigations/updates/request-update.ts";
import { listUpdates, toIncidentUpdate } from "#shared/investigations/updates/update-store.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { ServiceError } from "#shared/lib/errors.ts";

export const createIncidentUpdateHandler = endpoint(createIncidentUpdateRoute, async ({ principal, params, body }) => {
  const investigation = await getInvestigation(principal, params.id);
  await authorizeConversation(principal, investigation.conversation_id, "WRITE");
  const destination = await findDestination(principal, investigation);
  if (!destination || !offeredActions(destination.settings)[body.action]) {
    throw new ServiceError("conflict", "The channel does not write this update back.");
  }
  if (body.action === "acknowledge") {
    const acknowledged = { acknowledged_by: principal.userId, acknowledged_at: timestamp() };
    await changeInvestigation(principal, investigation, anyStatus, acknowledged);
  }
  return toIncidentUpdate(await requestUpdate(principal, investigation, destination, body));
});

export const listIncidentUpdatesHandler = endpoint(listIncidentUpdatesRoute, async ({ principal, params }) => {
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
