import type { KnowledgeReader } from "../knowledge/knowledge-access.ts";
import type { Turn } from "./turn.ts";

/**
 * Returns for whom the knowledge of a turn must be readable: the asker. Answers in a channel of a messenger, which others read,
 * use only knowledge of the whole tenant.
 */
export const readerOf = ({ principal, run }: Pick<Turn, "principal" | "run">): KnowledgeReader =>
  run.in_channel ? { tenantId: principal.tenantId, userId: null } : principal;
