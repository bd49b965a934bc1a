import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { findWebhookChannelOfTenant } from "../../webhooks/webhook-channel-store.ts";
import { findInvestigation, type InvestigationRef, type StoredInvestigation } from "../investigation-store.ts";
import { renderPlainResult } from "../render-plain-result.ts";
import { findDestination, offeredActions } from "./find-destination.ts";
import { requestUpdate } from "./request-update.ts";

/**
 * Requests a note in the monitoring tool with the result of a completed investigation, if the settings of its channel
 * ask for it. Idempotent.
 */
export async function requestResultNote(
  scope: TenantScope,
  ref: InvestigationRef & Pick<StoredInvestigation, "channel_id">,
): Promise<void> {
  const settings = (await findWebhookChannelOfTenant(scope, ref.channel_id))?.write_back;
  if (!settings?.post_result || !offeredActions(settings).note) return;
  const investigation = await findInvestigation(scope, ref);
  if (investigation?.status !== "completed") return;
  const destination = await findDestination(scope, investigation);
  const text = renderPlainResult(investigation);
  if (!destination || !text) return;
  const member = { ...scope, userId: settings.set_by };
  await requestUpdate(member, investigation, destination, { action: "note", text, id: investigation.id });
}
