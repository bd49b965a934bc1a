import { buildExport } from "#shared/changes/build-export.ts";
import { job } from "#shared/changes/job.ts";
import type { ExportJob } from "#shared/changes/schedule-export.ts";

export const handler = job<ExportJob>(buildExport);
