import type { KnowledgeIndex } from "./knowledge-index.ts";
import { lexicalIndex } from "./lexical-index.ts";

/** Indexes that contain every passage. A search merges their rankings. */
export const knowledgeIndexes: readonly KnowledgeIndex[] = [lexicalIndex];
