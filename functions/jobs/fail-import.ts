import { job } from "#shared/changes/job.ts";
import { failImport } from "#shared/knowledge/imports/fail-import.ts";
import type { ImportJob } from "#shared/knowledge/imports/import-store.ts";

export const handler = job<ImportJob>(failImport);
