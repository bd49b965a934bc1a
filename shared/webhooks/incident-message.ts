import { findMessage } from "../conversations/message-store.ts";
import { keys } from "../dynamodb/keys.ts";
import { allOf, anyOf, atMost, exists, ignoreConditionFailed, lacksAttribute } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import type { Alert } from "./adapters/types.ts";
import { alertBlocks } from "./alert-message.ts";

/** Labels of the facts in an incident's first message that are updated when later events have other values. */
const currentDetails = ["State", "Priority", "Assigned to", "Urgency", "Resolve reason"];

/**
 * Updates the first message of an incident with the state and facts of a later event, so that the thread shows whether
 * it is open, acknowledged or resolved. Ignores events that are older than the last one that was applied, and messages
 * that a user has edited.
 */
export async function updateIncidentMessage(
  scope: TenantScope,
  conversationId: string,
  messageId: string,
  event: Alert,
): Promise<void> {
  const changes = Object.fromEntries(Object.entries(event.details).filter(([label]) => currentDetails.includes(label)));
  if (event.state === null && Object.keys(changes).length === 0) return;
  const message = await findMessage(scope, conversationId, messageId);
  const first = message?.alert as unknown as (Alert & { readonly updated_at?: string }) | null | undefined;
  if (!first || message?.edited_at || event.triggered_at < (first.updated_at ?? first.triggered_at)) return;
  const alert = {
    ...first,
    severity: event.details.Priority || event.state === "open" ? event.severity : first.severity,
    state: event.state ?? first.state,
    details: { ...first.details, ...changes },
    updated_at: event.triggered_at,
  };
  // The message was deleted, or a newer event was applied concurrently.
  await tenantTable(scope)
    .write({
      update: keys.message(scope.tenantId, conversationId, messageId),
      set: { alert, content: alertBlocks(alert) },
      condition: allOf([
        exists(),
        anyOf([lacksAttribute("alert.updated_at"), atMost({ "alert.updated_at": event.triggered_at })]),
      ]),
    })
    .catch(ignoreConditionFailed);
}
