import type { WriteBack } from "../../api/webhooks/write-back.ts";
import { findMessage } from "../../conversations/message-store.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import type { Alert } from "../../webhooks/adapters/types.ts";
import { findWebhookChannelOfTenant } from "../../webhooks/webhook-channel-store.ts";
import type { StoredInvestigation } from "../investigation-store.ts";
import { providers } from "./providers.ts";

/** Monitoring tool and incident that updates are sent to. */
export interface Destination {
  readonly settings: WriteBack;
  /** Id of the incident there. */
  readonly target: string;
}

/**
 * Returns the destination for updates of an incident: the monitoring tool in the settings of its channel, and the
 * incident that its first alert names. Null if the settings or the alert name none.
 */
export async function findDestination(
  scope: TenantScope,
  { channel_id, conversation_id, alert_id: alertMessageId }: StoredInvestigation,
): Promise<Destination | null> {
  const settings = (await findWebhookChannelOfTenant(scope, channel_id))?.write_back;
  if (!settings) return null;
  const alert = (await findMessage(scope, conversation_id, alertMessageId))?.alert as Alert | null | undefined;
  const target = alert && providers[settings.provider].findTarget(alert);
  return target ? { settings, target } : null;
}

/** Returns the actions in the settings of a channel that its monitoring tool supports, with their approval modes. */
export function offeredActions({ provider, actions }: WriteBack): WriteBack["actions"] {
  const possible = Object.entries(actions).filter(([action]) =>
    (providers[provider].actions as readonly string[]).includes(action),
  );
  return Object.fromEntries(possible);
}
