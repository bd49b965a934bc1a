import type { Message } from "../api/conversations/messages.ts";
import { findMessage } from "../conversations/message-store.ts";
import { keys } from "../dynamodb/keys.ts";
import { allOf, ConditionFailed, equals, exists, ignoreConditionFailed, lacksAttribute } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { retry } from "../lib/retry.ts";
import type { Alert, AlertState } from "./adapters/types.ts";
import { alertBlocks } from "./alert-message.ts";

/** Labels of the facts in an incident's first message that are updated when later events have other values. */
const currentDetails = ["State", "Priority", "Assigned to", "Urgency", "Resolve reason"];

const ranks: Readonly<Record<AlertState, number>> = { open: 0, acknowledged: 1, resolved: 2 };

interface IncidentState {
  readonly state: AlertState | null;
  readonly triggered_at: string;
  readonly updated_at?: string;
}

/**
 * Returns true if an event is the newest of its incident. Of events with the same time, a resolution is the last. Without times, the
 * order is that of arrival; then neither an acknowledgement nor a repeated alarm takes back what followed it.
 */
function isNewest(event: Alert, isTimed: boolean, first: IncidentState): boolean {
  const last = first.updated_at ?? first.triggered_at;
  if (event.state === null || first.state === null) return event.triggered_at >= last;
  const isBack = ranks[event.state] < ranks[first.state];
  if (!isTimed) return !isBack || (event.state === "open" && first.state === "resolved");
  return isBack ? event.triggered_at > last : event.triggered_at >= last;
}

/** Returns the alert in an incident's first message; null if the message was deleted. */
export const incidentOf = (message: Message | undefined): (Alert & IncidentState) | null =>
  (message?.alert ?? null) as unknown as (Alert & IncidentState) | null;

/** Maximum number of attempts if other events of the incident are applied concurrently. */
const MAX_ATTEMPTS = 5;

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
  isTimed = true,
): Promise<void> {
  const changes = Object.fromEntries(Object.entries(event.details).filter(([label]) => currentDetails.includes(label)));
  if (event.state === null && Object.keys(changes).length === 0) return;
  const update = async () => {
    const message = await findMessage(scope, conversationId, messageId);
    const first = incidentOf(message);
    if (!first || message?.edited_at || !isNewest(event, isTimed, first)) return;
    const alert = {
      ...first,
      severity: event.details.Priority || event.state === "open" ? event.severity : first.severity,
      state: event.state ?? first.state,
      details: { ...first.details, ...changes },
      updated_at: event.triggered_at,
    };
    const isUnchanged = first.updated_at
      ? equals({ "alert.updated_at": first.updated_at, "alert.state": first.state })
      : lacksAttribute("alert.updated_at");
    await tenantTable(scope).write({
      update: keys.message(scope.tenantId, conversationId, messageId),
      set: { alert, content: alertBlocks(alert) },
      condition: allOf([exists(), isUnchanged]),
    });
  };
  // Another event was applied concurrently, or the message was deleted.
  await retry(update, { maxAttempts: MAX_ATTEMPTS, isRetryable: (error) => error instanceof ConditionFailed }).catch(
    ignoreConditionFailed,
  );
}
