import type { Memory } from "../api/memory/memories.ts";
import { extractMemorableFacts, findTopic, type MemorableFact } from "./extract-memorable-facts.ts";
import type { StoredMemory } from "./memory-store.ts";

/** Change of what is remembered about a user, in the form of mem0 (https://arxiv.org/abs/2504.19413). */
export type MemoryChange =
  | ({ readonly op: "add" } & Pick<Memory, "text" | "category">)
  | ({ readonly op: "update"; readonly known: StoredMemory } & Pick<Memory, "text" | "category">)
  | { readonly op: "delete"; readonly known: StoredMemory };

/** Returns the lower-case words of a text, so that texts can be compared regardless of case and punctuation. */
const normalizeText = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Returns true if two memories have the same words. */
export const isSameText = (a: string, b: string): boolean => normalizeText(a) === normalizeText(b);

/** Memories that a proposal may replace: those about the user. Memories of other scopes are not the user's alone. */
export const replaceable = (known: readonly StoredMemory[]): StoredMemory[] =>
  known.filter(({ scope }) => scope === "user");

/** Returns the change for a fact: an update if a memory about the same topic is known, such as another home. */
export function toChange(fact: MemorableFact, known: readonly StoredMemory[]): MemoryChange {
  const { text, category, topic = findTopic(text) } = fact;
  const replaced = topic && replaceable(known).find((memory) => findTopic(memory.text) === topic);
  return replaced ? { op: "update", known: replaced, text, category } : { op: "add", text, category };
}

/** Returns the changes that a message suggests, by rules. */
export const changesByRules = (message: string, known: readonly StoredMemory[]): MemoryChange[] =>
  extractMemorableFacts(message).map((fact) => toChange(fact, known));
