import type { KnowledgeIndex } from "./knowledge-index.ts";
import { lexicalIndex } from "./lexical-index.ts";

/** Indexes that every passage is added to and every search ranks with; a search fuses their rankings. */
export const knowledgeIndexes: readonly KnowledgeIndex[] = [lexicalIndex];
