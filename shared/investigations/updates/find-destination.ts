import type { WriteBack } from "../../api/channels/write-back.ts";
import type { Alert } from "../../channels/adapters/types.ts";
import { findChannelOfTenant } from "../../channels/channel-store.ts";
import { findMessage } from "../../conversations/message-store.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import type { StoredInvestigation } from "../investigation-store.ts";
import type { UpdateTarget } from "./provider.ts";
import { providers } from "./providers.ts";

/** Place that the updates of an incident are written to. */
export interface Destination {
  readonly settings: WriteBack;
  readonly target: UpdateTarget;
}

/** Finds the place that the updates of an incident are written to: its channel's service, and what its first alert names. */
export async function findDestination(
  scope: TenantScope,
  { channel_id, conversation_id, alert_id }: StoredInvestigation,
): Promise<Destination | null> {
  const settings = (await findChannelOfTenant(scope, channel_id))?.write_back;
  if (!settings) return null;
  const alert = (await findMessage(scope, conversation_id, alert_id))?.alert as Alert | null | undefined;
  const target = alert && providers[settings.provider].findTarget(alert, settings);
  return target ? { settings, target: { ...target, at: alert.triggered_at } } : null;
}

/** Returns the modes of the updates that a channel offers and its service can do. */
export function offeredActions({ provider, actions }: WriteBack): WriteBack["actions"] {
  const possible = Object.entries(actions).filter(([action]) =>
    (providers[provider].actions as readonly string[]).includes(action),
  );
  return Object.fromEntries(possible);
}
