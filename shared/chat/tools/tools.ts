import type { ToolName } from "../../api/tools.ts";
import { findAttachedTools, findToolReplacement } from "../attached-tools.ts";
import type { Turn } from "../turn.ts";
import { allowedTools } from "./allowed-tools.ts";
import { askUserTool } from "./ask-user.ts";
import { calculateTool } from "./calculate.ts";
import { createNoteTool } from "./create-note.ts";
import { currentTimeTool } from "./current-time.ts";
import { proposeMemoryTool } from "./propose-memory.ts";
import { readNoteTool } from "./read-note.ts";
import { requestPersonTool } from "./request-person.ts";
import { searchConversationTool } from "./search-conversation.ts";
import { searchKnowledgeTool } from "./search-knowledge.ts";
import { searchMemoryTool } from "./search-memory.ts";
import type { Tool } from "./tool.ts";
import { readPageTool, webSearchTool } from "./web-tools.ts";

const tools: Readonly<Record<ToolName, Tool>> = {
  search_knowledge: searchKnowledgeTool,
  search_conversation: searchConversationTool,
  search_memory: searchMemoryTool,
  read_note: readNoteTool,
  create_note: createNoteTool,
  propose_memory: proposeMemoryTool,
  calculate: calculateTool,
  current_time: currentTimeTool,
  web_search: webSearchTool,
  read_page: readPageTool,
  ask_user: askUserTool,
};

/** Tools for visitors of an embedded widget. They change nothing and read no data of users. */
const visitorTools: ReadonlySet<ToolName> = new Set([
  "search_knowledge",
  "search_conversation",
  "calculate",
  "current_time",
]);

/** Returns the built-in tools that the tier, the principal and the persona of a turn allow. */
function builtInTools({ run, persona, principal, incident }: Turn): Tool[] {
  const allowed = allowedTools(run.tier, persona?.tools ?? [])
    .filter((name) => principal.kind === "user" || visitorTools.has(name))
    // These have no person who answers.
    .filter((name) => name !== "ask_user" || !(incident?.investigation || run.schedule_run))
    .map((name) => tools[name]);
  const canRequestPerson = principal.kind === "visitor" && principal.handoverKeyId !== null && run.tier !== "QUICK";
  return canRequestPerson ? [...allowed, requestPersonTool] : allowed;
}

/** Returns the tools of a turn: the built-in ones, and those of attached MCP servers. */
export function getTools(turn: Turn): Tool[] {
  const tools = [...builtInTools(turn), ...(findAttachedTools(turn)?.tools ?? [])];
  return findToolReplacement(turn)?.(tools) ?? tools;
}
