import { job } from "#shared/changes/job.ts";
import { buildExport } from "#shared/governance/exports/build-export.ts";
import type { ExportJob } from "#shared/governance/exports/schedule-export.ts";

export const handler = job<ExportJob>(buildExport);
