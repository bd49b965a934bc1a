import { job } from "#shared/changes/job.ts";
import { type EmbeddingJob, embedPassages } from "#shared/knowledge/vectors/embed-passages.ts";

export const handler = job<EmbeddingJob>(embedPassages);
