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
  "web_search",
  "read_page",
  "ask_user",
] as const;

/** Tools that send texts of the answer to the web, so that a persona has them only if it names them. */
export const webToolNames: ReadonlySet<ToolName> = new Set(["web_search", "read_page"]);

export const ToolName = v.picklist(toolNames);
export type ToolName = v.InferOutput<typeof ToolName>;
