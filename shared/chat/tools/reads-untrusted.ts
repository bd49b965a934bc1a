import type { ToolName } from "../../api/tools.ts";

/** Tools whose results contain no text of others. */
const trustedTools: ReadonlySet<string> = new Set([
  "create_note",
  "propose_memory",
  "calculate",
  "current_time",
] satisfies ToolName[]);

/** Returns true if the results of a tool may contain text of others, as those of every tool of a server. */
export const readsUntrusted = (name: string): boolean => !trustedTools.has(name);
