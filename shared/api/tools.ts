import * as v from "valibot";

/** Tools of the assistant, available on the tier with tools. They run with the permissions of the caller. */
export const toolNames = [
  "search_knowledge",
  "search_conversation",
  "search_memory",
  "read_note",
  "create_note",
  "propose_memory",
  "calculate",
  "current_time",
] as const;

export const ToolName = v.picklist(toolNames);
export type ToolName = v.InferOutput<typeof ToolName>;
