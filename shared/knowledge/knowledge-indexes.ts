import type { KnowledgeIndex } from "./index/knowledge-index.ts";
import { lexicalIndex } from "./index/lexical-index.ts";
import { vectorIndex } from "./vectors/vector-index.ts";

/** Indexes that contain every passage: by words and by vectors. A search merges their rankings. */
export const knowledgeIndexes: readonly KnowledgeIndex[] = [lexicalIndex, vectorIndex];
