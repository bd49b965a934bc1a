import type { KnowledgeReader } from "../knowledge/knowledge-access.ts";
import type { Turn } from "./turn.ts";

/**
 * Returns for whom the knowledge of a turn must be readable: the asker. Answers in a channel of a messenger and investigations of
 * incidents, which others read, use only knowledge of the whole tenant.
 */
export const readerOf = ({ principal, run }: Pick<Turn, "principal" | "run">): KnowledgeReader =>
  run.in_channel || run.investigation_id !== undefined ? { tenantId: principal.tenantId, userId: null } : principal;
