import { isByOthers } from "../memory/memory-rules.ts";
import { promptText } from "../models/prompt-text.ts";
import { hasQuotation } from "./prompt.ts";
import { getTools } from "./tools/tools.ts";
import type { Turn } from "./turn.ts";

/** Returns true if the model has read text of other authors in this turn. Such text may contain instructions. */
export function hasReadUntrusted(turn: Turn): boolean {
  const { hasForeignMessages, sources, notes, memories, principal, prompt, pendingToolCalls } = turn;
  if (hasForeignMessages || sources.length > 0 || notes.length > 0) return true;
  if (memories.some((memory) => isByOthers(memory, principal))) return true;
  if (hasQuotation(promptText(prompt.filter(({ role }) => role === "user")))) return true;
  const reading = new Set<string>(getTools(turn).flatMap(({ name, readsUntrusted }) => (readsUntrusted ? name : [])));
  const results = prompt.flatMap((message) => (message.role === "tool" ? message.content : []));
  return [...results, ...(pendingToolCalls?.results ?? [])].some(
    (part) => part.type === "tool-result" && reading.has(part.toolName),
  );
}
