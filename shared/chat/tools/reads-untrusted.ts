import type { ToolName } from "../../api/tools.ts";

/** Tools whose results contain no untrusted text. */
const trustedTools: ReadonlySet<string> = new Set([
  "create_note",
  "propose_memory",
  "calculate",
  "current_time",
] satisfies ToolName[]);

/** Returns true if the results of a tool may contain untrusted text. That is assumed for all tools of MCP servers. */
export const readsUntrusted = (name: string): boolean => !trustedTools.has(name);
