import * as v from "valibot";

/** What the assistant can do beside speaking, on the tier that has tools; each run under the caller's rights. */
export const toolNames = [
  "search_knowledge",
  "search_memory",
  "read_note",
  "create_note",
  "propose_memory",
  "calculate",
  "current_time",
] as const;

/** Name of a tool. */
export const ToolName = v.picklist(toolNames);

/** Name of a tool. */
export type ToolName = v.InferOutput<typeof ToolName>;
