import type { Memory } from "../api/memory/memories.ts";
import { extractMemorableFacts, findTopic, type MemorableFact } from "./extract-memorable-facts.ts";
import { asksToForget, isAboutMemory, saysThatEnded } from "./memory-requests.ts";
import type { StoredMemory } from "./memory-store.ts";
import { ownStatements } from "./own-statements.ts";

/** Change of the memories of a user: the operations of mem0 (https://arxiv.org/abs/2504.19413). */
export type MemoryChange =
  | ({ readonly op: "add" } & Pick<Memory, "text" | "category">)
  | ({ readonly op: "update"; readonly known: StoredMemory } & Pick<Memory, "text" | "category">)
  | { readonly op: "delete"; readonly known: StoredMemory };

/** Returns the words of a text in lower case, to compare texts regardless of case and punctuation. */
const normalizeText = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Returns true if two texts have the same words in the same order, regardless of case and punctuation. */
export const isSameText = (a: string, b: string): boolean => normalizeText(a) === normalizeText(b);

/**
 * Returns the memories that a proposal may replace: those with the scope `user`, because memories of other scopes also
 * concern other users or contexts.
 */
export const replaceable = (known: readonly StoredMemory[]): StoredMemory[] =>
  known.filter(({ scope }) => scope === "user");

/**
 * Returns the change for a fact: an update if a known memory has the same topic, such as the home; otherwise an
 * addition.
 */
export function toChange(fact: MemorableFact, known: readonly StoredMemory[]): MemoryChange {
  const { text, category, topic = findTopic(text) } = fact;
  const replaced = topic && replaceable(known).find((memory) => findTopic(memory.text) === topic);
  return replaced ? { op: "update", known: replaced, text, category } : { op: "add", text, category };
}

/**
 * Returns the changes of memories that a message suggests, found by rules: new facts, updates, and deletions of what
 * the user asks to forget or says to have ended.
 */
export function changesByRules(message: string, known: readonly StoredMemory[]): MemoryChange[] {
  const changes = extractMemorableFacts(message).map((fact) => toChange(fact, known));
  const updated = new Set(changes.flatMap((change) => (change.op === "update" ? change.known.id : [])));
  const targets = replaceable(known).filter(({ id }) => !updated.has(id));
  const ended = ownStatements(message).filter((statement) => asksToForget(statement) || saysThatEnded(statement));
  const deleted = targets.filter(({ text }) =>
    ended.some((statement) => isAboutMemory(statement, text, findTopic(text))),
  );
  return [...deleted.map((memory) => ({ op: "delete" as const, known: memory })), ...changes];
}
