import { writeUsageFiles } from "#shared/events/usage-files.ts";

export const handler = (): Promise<void> => writeUsageFiles();
