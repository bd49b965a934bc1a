import type { StoredMessage } from "../conversations/message-store.ts";
import { isByOthers } from "../memory/memory-rules.ts";
import { promptText } from "../models/prompt-text.ts";
import { quotedKinds } from "./context/quote.ts";
import type { PinnedTool } from "./tools/tool.ts";
import type { Turn } from "./turn.ts";

/** Origin in answers that the reaper stored, which does not know it. */
const UNKNOWN_ORIGIN = "unknown";

/** Built-in tools whose results contain no untrusted text, or only text that the model has read in part before. */
const trustedTools: ReadonlySet<string> = new Set([
  "create_note",
  "propose_memory",
  "calculate",
  "current_time",
  "ask_user",
  "read_result",
]);

/** Returns the origin of the results of a tool server. */
export const originOfServer = ({ server_id }: Pick<PinnedTool, "server_id">): string => `server:${server_id}`;

/** Returns the origin of untrusted text in the results of a tool; none for tools that return no such text. */
export function originsOfTool({ name, pinned }: { readonly name: string; readonly pinned?: PinnedTool }): string[] {
  if (pinned) return [originOfServer(pinned)];
  return trustedTools.has(name) ? [] : [name];
}

/** Returns the origins of a message of another user, and those that the model of an answer had read. */
export function originsOfMessage(
  { principal }: Pick<Turn, "principal">,
  { role, author_id, read_origins, person }: StoredMessage,
): readonly string[] {
  if (person) return ["message"];
  if (role === "assistant") return read_origins ?? [UNKNOWN_ORIGIN];
  return role === "user" && author_id !== principal.userId ? ["message"] : [];
}

/**
 * Returns the origins of text that the model may have read in this turn and that the user did not write, such as sources,
 * files or results of tools: a kind of text, the name of a built-in tool, or `server:<id>`. Such text may contain
 * instructions (prompt injection).
 */
export function readOrigins(turn: Turn): readonly string[] {
  const { historyOrigins, hasFiles, notes, memories, principal } = turn;
  const { sources, prompt, addedOrigins } = turn.answer;
  const origins = [...historyOrigins, ...addedOrigins];
  if (hasFiles) origins.push("file");
  if (sources.length > 0) origins.push("source");
  if (notes.length > 0) origins.push("note");
  if (memories.some((memory) => isByOthers(memory, principal))) origins.push("memories");
  return [...new Set([...origins, ...quotedKinds(promptText(prompt.filter(({ role }) => role === "user")))])];
}

/** Returns true if the model may have read untrusted text in this turn. */
export const hasReadUntrusted = (turn: Turn): boolean => readOrigins(turn).length > 0;
