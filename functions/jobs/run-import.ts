import { job } from "#shared/changes/job.ts";
import type { ImportJob } from "#shared/knowledge/imports/import-store.ts";
import { runImport } from "#shared/knowledge/imports/run-import.ts";

export const handler = job<ImportJob>((message) => runImport(message));
