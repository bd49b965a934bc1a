import * as v from "valibot";
import { extractTerms } from "../../lib/language/terms.ts";
import { listMemories } from "../../memory/memory-store.ts";
import { defineTool, memoryDisabledReason } from "./tool.ts";

/** Number of the newest memories among which a search looks for words. */
const MAX_SCANNED = 100;

const MAX_RESULTS = 10;

export const searchMemoryTool = defineTool({
  name: "search_memory",
  title: "Searching memories",
  description: "Searches the memories about the user and the organization.",
  input: v.object({ query: v.pipe(v.string(), v.minLength(1), v.maxLength(500)) }),
  async run({ principal, canRemember }, { query }) {
    if (!canRemember) return { result: { memories: [], reason: memoryDisabledReason } };
    const { entries } = await listMemories(principal, { limit: MAX_SCANNED, status: "active" });
    const queryTerms = new Set(extractTerms(query));
    const ranked = entries
      .map((memory) => ({ memory, hits: extractTerms(memory.text).filter((term) => queryTerms.has(term)).length }))
      .filter(({ hits }) => hits > 0)
      .sort((a, b) => b.hits - a.hits)
      .slice(0, MAX_RESULTS);
    const memories = ranked.map(({ memory: { text, scope, category } }) => ({ text, scope, category }));
    return { result: { memories } };
  },
});
