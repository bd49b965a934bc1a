import { job } from "#shared/changes/job.ts";
import { failImport } from "#shared/knowledge/imports/fail-import.ts";
import type { ImportJob } from "#shared/knowledge/imports/import-store.ts";
import { failSync } from "#shared/knowledge/syncs/apply-sync.ts";
import type { SyncJob } from "#shared/knowledge/syncs/sync-store.ts";

export const handler = job<ImportJob | SyncJob>((message) =>
  "sync_id" in message ? failSync(message) : failImport(message),
);
