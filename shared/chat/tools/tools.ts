import type { ToolName } from "../../api/tools.ts";
import { findAttachedTools } from "../attached-tools.ts";
import type { Turn } from "../turn.ts";
import { allowedTools } from "./allowed-tools.ts";
import { calculate } from "./calculate.ts";
import { createNote } from "./create-note.ts";
import { currentTime } from "./current-time.ts";
import { proposeMemory } from "./propose-memory.ts";
import { readNote } from "./read-note.ts";
import { searchConversation } from "./search-conversation.ts";
import { searchKnowledge } from "./search-knowledge.ts";
import { searchMemory } from "./search-memory.ts";
import type { Tool } from "./tool.ts";
import { readPage, webSearch } from "./web-tools.ts";

const tools: Readonly<Record<ToolName, Tool>> = {
  search_knowledge: searchKnowledge,
  search_conversation: searchConversation,
  search_memory: searchMemory,
  read_note: readNote,
  create_note: createNote,
  propose_memory: proposeMemory,
  calculate,
  current_time: currentTime,
  web_search: webSearch,
  read_page: readPage,
};

/** Tools for visitors of an embedded widget. They change nothing and read no data of users. */
const visitorTools: ReadonlySet<ToolName> = new Set([
  "search_knowledge",
  "search_conversation",
  "calculate",
  "current_time",
]);

/** Returns the built-in tools that the tier, the principal and the persona of a turn allow. */
function builtInTools({ run, persona, principal }: Turn): Tool[] {
  return allowedTools(run.tier, persona?.tools ?? [])
    .filter((name) => principal.kind === "user" || visitorTools.has(name))
    .map((name) => tools[name]);
}

/** Returns the tools of a turn: the built-in ones, and those of attached MCP servers. */
export const getTools = (turn: Turn): Tool[] => [...builtInTools(turn), ...(findAttachedTools(turn)?.tools ?? [])];
