import type { KnowledgeReader } from "../knowledge-access.ts";
import { ReaderAccess } from "../readers/reader-access.ts";
import { readAudiences } from "../readers/reader-audiences.ts";

/** Returns true if any document that the reader can read has passages. Costs a read of the statistics. */
export async function hasPassages(reader: KnowledgeReader): Promise<boolean> {
  const states = await readAudiences(ReaderAccess.of(reader), { withVectors: false });
  return [...states.values()].some(({ passages }) => passages > 0);
}
