import { type ToolName, toolNames } from "../../api/tools.ts";
import type { Turn } from "../turn.ts";
import { calculate } from "./calculate.ts";
import { createNote } from "./create-note.ts";
import { currentTime } from "./current-time.ts";
import { proposeMemory } from "./propose-memory.ts";
import { readNote } from "./read-note.ts";
import { searchKnowledge } from "./search-knowledge.ts";
import { searchMemory } from "./search-memory.ts";
import type { Tool } from "./tool.ts";

const tools: Readonly<Record<ToolName, Tool>> = {
  search_knowledge: searchKnowledge,
  search_memory: searchMemory,
  read_note: readNote,
  create_note: createNote,
  propose_memory: proposeMemory,
  calculate,
  current_time: currentTime,
};

/** What changes nothing and knows nothing of anybody in particular. */
const forVisitors: ReadonlySet<ToolName> = new Set(["search_knowledge", "calculate", "current_time"]);

/** The tools of a turn: those of its tier and its asker, narrowed to the ones its persona names, if it names any. */
export function toolsOf({ run, persona, principal }: Pick<Turn, "run" | "persona" | "principal">): Tool[] {
  if (run.tier !== "THOUGHT_PARTNER") return [];
  const named = persona && persona.tools.length > 0 ? persona.tools : toolNames;
  return named.filter((name) => principal.kind === "user" || forVisitors.has(name)).map((name) => tools[name]);
}
