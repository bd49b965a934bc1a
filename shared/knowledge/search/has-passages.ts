import { getAudiences, type KnowledgeReader } from "../knowledge-access.ts";
import { readVectorStates } from "../vectors/code-pages.ts";

/** Returns true if any collection that the reader can read has passages. Costs one read of the statistics. */
export async function hasPassages(reader: KnowledgeReader): Promise<boolean> {
  const states = await readVectorStates(reader, getAudiences(reader));
  return [...states.values()].some(({ passages }) => passages > 0);
}
