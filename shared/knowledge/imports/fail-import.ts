import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { abortRun, RunSuperseded } from "./import-runs.ts";
import { findImport, type ImportJob } from "./import-store.ts";

/** Ends an import run whose jobs have failed repeatedly. Does nothing if the run has ended or another one has begun. */
export async function failImport(job: ImportJob): Promise<void> {
  const scope: TenantScope = { tenantId: job.tenantId };
  const found = await findImport(scope, job);
  if (found?.status !== "running" || found.run !== job.run) return;
  const { worker: _, ...current } = found;
  try {
    await abortRun(scope, current, "interrupted");
  } catch (error) {
    if (!(error instanceof RunSuperseded)) throw error;
  }
}
