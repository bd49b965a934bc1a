import { job } from "#shared/changes/job.ts";
import { type ImportJob, runImport } from "#shared/knowledge/imports/run-import.ts";

export const handler = job<ImportJob>((message) => runImport(message));
