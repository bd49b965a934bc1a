import * as v from "valibot";
import { termsOf } from "../../knowledge/index/terms.ts";
import { listMemories } from "../../memory/memory-store.ts";
import { defineTool, noMemories } from "./tool.ts";

/** Memories looked through, the newest, and given at most. */
const lookedThrough = 100;
const given = 10;

export const searchMemory = defineTool({
  name: "search_memory",
  title: "Searching the memories",
  description: "Searches what is remembered about the person you talk to and the organisation.",
  input: v.object({ query: v.pipe(v.string(), v.minLength(1), v.maxLength(500)) }),
  async run({ principal, remembers }, { query }) {
    if (!remembers) return { result: { memories: [], reason: noMemories } };
    const { entries } = await listMemories(principal, { limit: lookedThrough, status: "active" });
    const wanted = new Set(termsOf(query));
    const ranked = entries
      .map((memory) => ({ memory, hits: termsOf(memory.text).filter((term) => wanted.has(term)).length }))
      .filter(({ hits }) => hits > 0)
      .sort((one, other) => other.hits - one.hits)
      .slice(0, given);
    const memories = ranked.map(({ memory: { text, scope, category } }) => ({ text, scope, category }));
    return { result: { memories } };
  },
});
