import type { UserPrincipal } from "../../auth/principal.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { gateRunWrite } from "../../personas/change-persona.ts";
import { type Clearance, gateConflict } from "../../personas/gate.ts";
import { getPersonaViewer, type StoredPersona } from "../../personas/persona-store.ts";
import { prepareTestRun } from "../runs/prepare-run.ts";
import { newTestRunWrites } from "../runs/test-run-store.ts";
import { judgeVersion } from "./judge-version.ts";

/** Number of answers that a run of a gate generates at the same time. */
const CONCURRENCY = 4;

/**
 * Starts a run of the gate's test set with a version. Of concurrent requests, one starts a run, and the others throw `PersonaChanged`.
 * @returns its id
 */
async function startRun(
  principal: UserPrincipal,
  persona: StoredPersona,
  setId: string,
  version: number,
): Promise<string> {
  const run = await prepareTestRun(
    principal,
    { id: setId, persona_id: persona.id },
    {
      columns: [{ version, model: null }],
      ...{ passages: "recorded", tools: "recorded", concurrency: CONCURRENCY, max_cost_usd: null, judge_model: null },
    },
  );
  const writes = [gateRunWrite(principal, persona, version, run.id), ...newTestRunWrites(principal, run)];
  await tenantTable(principal).transact(writes);
  return run.id;
}

async function requireAdmin(principal: UserPrincipal): Promise<void> {
  if ((await getPersonaViewer(principal)).isAdmin) return;
  throw new ServiceError("forbidden", "Only administrators can override the gate of a persona.");
}

/**
 * Returns the permission to publish a version of a persona, which its gate gives or an administrator takes.
 * @param overrideReason why an administrator publishes the version although the gate stops it
 * @throws ServiceError `conflict` if the gate stops the version, also while its test set runs, which this starts;
 * `forbidden` for a reason of others; the errors of `prepareTestRun`. `PersonaChanged` if a concurrent request started the run
 */
export async function clearVersion(
  principal: UserPrincipal,
  persona: StoredPersona,
  version: number,
  overrideReason: string | undefined,
): Promise<Clearance> {
  if (overrideReason !== undefined) await requireAdmin(principal);
  const { gate } = persona;
  const verdict = gate && (await judgeVersion(principal, persona, gate, version));
  if (!gate || !verdict) return { gate_override: null };
  if (overrideReason !== undefined) {
    return { gate_override: { ...verdict, version, override_reason: overrideReason, at: timestamp() } };
  }
  if (verdict.reason !== "pending" || verdict.run_id !== null) throw gateConflict(verdict);
  throw gateConflict({ ...verdict, run_id: await startRun(principal, persona, gate.set_id, version) });
}
