import { isByOthers } from "../memory/memory-rules.ts";
import { promptText } from "../models/prompt-text.ts";
import { hasQuotation } from "./context/quote.ts";
import { readsUntrusted } from "./tools/reads-untrusted.ts";
import type { Turn } from "./turn.ts";

/**
 * Returns true if the model may have read text in this turn that the user did not write, such as sources, files or
 * results of tools. Such text may contain instructions (prompt injection).
 */
export function hasReadUntrusted(turn: Turn): boolean {
  const { hasForeignMessages, hasFiles, notes, memories, principal } = turn;
  const { sources, prompt, pendingToolCalls, hasForeignRecall } = turn.answer;
  if (hasForeignMessages || hasForeignRecall || hasFiles || sources.length > 0 || notes.length > 0) return true;
  if (memories.some((memory) => isByOthers(memory, principal))) return true;
  if (hasQuotation(promptText(prompt.filter(({ role }) => role === "user")))) return true;
  const results = prompt.flatMap((message) => (message.role === "tool" ? message.content : []));
  return [...results, ...(pendingToolCalls?.results ?? [])].some(
    // This service writes the texts of the type `error-text`. Errors that a tool server reports have other types.
    (part) => part.type === "tool-result" && part.output.type !== "error-text" && readsUntrusted(part.toolName),
  );
}
