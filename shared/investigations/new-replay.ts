import type { InvestigationReplay } from "../api/investigations/replays.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { timestamp } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { authorizePersonaUse } from "../personas/persona-store.ts";
import type { StoredInvestigation } from "./investigation-store.ts";

/**
 * Returns a new replay of an investigation, which is not stored yet.
 * @throws ServiceError `forbidden` for an API key, `conflict` if the investigation has not run to its end, `not_found`
 * for a persona that the user cannot use
 */
export async function newReplay(
  principal: UserPrincipal,
  { id, ended_at, message_id }: StoredInvestigation,
  changes: Pick<InvestigationReplay, "persona_id" | "model" | "runbook">,
): Promise<InvestigationReplay> {
  if (principal.apiKey) throw new ServiceError("forbidden", "Only a person can replay an investigation.");
  if (ended_at === null || message_id === null) {
    throw new ServiceError("conflict", "The investigation has not run to its end, so that there is nothing to replay.");
  }
  if (changes.persona_id !== null) await authorizePersonaUse(principal, changes.persona_id);
  return {
    id: newId(),
    investigation_id: id,
    status: "queued",
    reason: null,
    missing: null,
    ...changes,
    verdict: null,
    cause: null,
    hypotheses: [],
    discarded: 0,
    events: [],
    is_same_verdict: null,
    is_same_sequence: null,
    usage: null,
    duration_ms: null,
    requested_by: principal.userId,
    created_at: timestamp(),
    ended_at: null,
  };
}
