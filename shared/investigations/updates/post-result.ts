import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { findWebhookChannelOfTenant } from "../../webhooks/webhook-channel-store.ts";
import { findInvestigation, type InvestigationRef, type StoredInvestigation } from "../investigation-store.ts";
import { findDestination, offeredActions } from "./find-destination.ts";
import { requestUpdate } from "./request-update.ts";

const verdicts = { confirmed: "Cause found", probable: "Probable cause", inconclusive: "No cause proven" } as const;

/** Returns the result of an investigation as plain text of at most 5,000 characters, or null before it has one. */
export function renderPlainResult({ result, cause }: StoredInvestigation): string | null {
  if (!result) return null;
  // Steps of the model are its own words, which alerts may have written; those of a runbook are not.
  const isOfRunbook = ({ observation }: { readonly observation: string | null }) => observation?.startsWith("p");
  const steps = result.next_steps
    .filter(isOfRunbook)
    .slice(0, 5)
    .map(({ text }) => `- ${text}`);
  const heading = `Investigation: ${verdicts[result.verdict]}${cause ? `: ${cause}` : ""}`;
  return [heading, result.summary, steps.length > 0 ? `Next steps:\n${steps.join("\n")}` : ""]
    .filter(Boolean)
    .join("\n\n")
    .slice(0, 5_000);
}

/**
 * Requests a note in the monitoring tool with the result of a completed investigation, if the settings of its channel
 * ask for it. Idempotent.
 */
export async function postResult(
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
