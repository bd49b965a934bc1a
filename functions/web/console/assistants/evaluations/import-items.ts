import { MEBIBYTE } from "../../../../../shared/api/limits.ts";
import { describeError, describeFieldError } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import type { ItemFile, ItemLine } from "./split-lines.ts";

/** Limits of one request: those of the service are 1,000 lines and 4 MiB, but smaller ones show the progress. */
const [MAX_LINES, MAX_BYTES] = [200, 3 * MEBIBYTE];

/** Line that was not added, and why. */
export interface RefusedLine extends ItemLine {
  readonly reason: string;
}

/** Lines of a file by what became of them. */
export interface ImportOutcome {
  /** Number of lines that were sent or refused. */
  readonly done: number;
  readonly added: number;
  readonly duplicates: number;
  readonly refused: readonly RefusedLine[];
}

const encoder = new TextEncoder();

/** Divides lines into requests. */
function toBatches(lines: readonly ItemLine[]): ItemLine[][] {
  const batches: ItemLine[][] = [];
  let bytes = 0;
  for (const line of lines) {
    const size = encoder.encode(JSON.stringify(line.text)).length;
    const batch = batches.at(-1);
    if (batch && batch.length < MAX_LINES && bytes + size <= MAX_BYTES) batch.push(line);
    else {
      batches.push([line]);
      bytes = 0;
    }
    bytes += size;
  }
  return batches;
}

/**
 * Adds the lines of a file to a test set, batch by batch. A batch that fails, such as without a connection, refuses its lines and all
 * later ones, so that each line of the file is counted once.
 */
export async function importItems(
  setId: string,
  { format, head, lines }: ItemFile,
  onProgress: (outcome: ImportOutcome) => void,
): Promise<void> {
  let outcome: ImportOutcome = { done: 0, added: 0, duplicates: 0, refused: [] };
  for (const batch of toBatches(lines)) {
    try {
      const { added, duplicates, invalid } = await api.POST("/v1/test-sets/{id}/items", {
        params: { path: { id: setId } },
        body: { lines: { format, text: head + batch.map(({ text }) => text).join("\n") } },
      });
      const refused = invalid.flatMap(({ index, message }): RefusedLine[] => {
        const line = batch[index];
        return line ? [{ ...line, reason: describeFieldError(message) }] : [];
      });
      outcome = {
        done: outcome.done + batch.length,
        added: outcome.added + added.length,
        duplicates: outcome.duplicates + duplicates,
        refused: [...outcome.refused, ...refused],
      };
    } catch (error) {
      const reason = describeError(error);
      const rest = lines.slice(outcome.done).map((line) => ({ ...line, reason }));
      onProgress({ ...outcome, done: lines.length, refused: [...outcome.refused, ...rest] });
      return;
    }
    onProgress(outcome);
  }
}
