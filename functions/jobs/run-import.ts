import { job } from "#shared/changes/job.ts";
import type { ImportJob } from "#shared/knowledge/imports/import-store.ts";
import { runImport } from "#shared/knowledge/imports/run-import.ts";
import { applySync } from "#shared/knowledge/syncs/apply-sync.ts";
import type { SyncJob } from "#shared/knowledge/syncs/sync-store.ts";

export const handler = job<ImportJob | SyncJob>((message) =>
  "sync_id" in message ? applySync(message) : runImport(message),
);
