import * as v from "valibot";
import { MessageCheck } from "../../api/conversations/messages.ts";
import { TestResult } from "../../api/evaluations/test-runs.ts";
import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { itemReader, trusted } from "../../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { absent, ConditionFailed, notDeleted, TransactionFailed } from "../../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import type { Charges } from "../../lib/charges.ts";
import { now } from "../../lib/clock.ts";

const StoredResult = v.object({
  ...TestResult.entries,
  /** Id of the result among all replies whose usage is counted. */
  id: v.string(),
  run_id: v.string(),
  message_ids: v.optional(v.array(v.string()), []),
  asked_by: v.string(),
  persona_id: v.string(),
  persona_version: v.number(),
  checks: v.optional(v.array(MessageCheck)),
  charges: v.optional(trusted<Charges>()),
});
export type StoredResult = v.InferOutput<typeof StoredResult>;

export const readResult = itemReader(StoredResult);

/** Place of a result in a run. */
type Cell = Pick<StoredResult, "run_id" | "item_id" | "column" | "source">;

const toCell = ({ item_id, column }: Pick<Cell, "item_id" | "column">) =>
  `${item_id}#${String(column).padStart(2, "0")}`;

/** Returns the id of a result, which is the same whenever and wherever it is made. */
export const toResultId = (cell: Pick<Cell, "run_id" | "item_id" | "column">) => `${cell.run_id}#${toCell(cell)}`;

const toKey = ({ tenantId }: TenantScope, cell: Cell) =>
  cell.source
    ? keys.recordedTestResult(tenantId, cell.source.conversation_id, cell.run_id, toCell(cell))
    : keys.testResult(tenantId, cell.run_id, toCell(cell));

const withoutContent = (result: StoredResult): StoredResult => ({
  ...result,
  ...{
    source: null,
    question: "",
    text: "",
    tool_calls: [],
    error: { code: "not_found", message: "The source was deleted." },
  },
});

/** Finds the results that a run has for cells of items, also those whose sources were deleted. */
export async function findResults(scope: TenantScope, cells: readonly Cell[]): Promise<StoredResult[]> {
  const all = cells.flatMap((cell) => (cell.source ? [cell, { ...cell, source: null }] : [cell]));
  const found = await batchGetAll(
    tenantTable(scope),
    all.map((cell) => toKey(scope, cell)),
    { consistent: true },
  );
  return found.map(readResult);
}

/**
 * Stores a result unless the run has one for its cell. If the source of its item was deleted, only its usage is stored.
 * @returns the result that is stored now
 */
export async function addResult(scope: TenantScope, result: StoredResult): Promise<StoredResult> {
  const { tenantId } = scope;
  const toWrite = (stored: StoredResult) => ({
    put: {
      ...toKey(scope, stored),
      ...indexKeys.testResultOfRun(tenantId, stored.run_id, toCell(stored)),
      discriminator: "test-result",
      timestamp: now(),
      ...stored,
    },
    condition: absent(),
  });
  const { source } = result;
  try {
    if (!source) await tenantTable(scope).write(toWrite(result));
    else {
      const check = { check: keys.conversation(tenantId, source.conversation_id), condition: notDeleted() };
      await tenantTable(scope).transact([check, toWrite(result)]);
    }
    return result;
  } catch (error) {
    if (error instanceof ConditionFailed && error.item) return readResult(error.item);
    if (!(error instanceof TransactionFailed)) throw error;
    const existing = error.failures[1]?.item;
    return existing ? readResult(existing) : addResult(scope, withoutContent(result));
  }
}

/** Returns where the results of a run are listed. */
export const resultsOf = ({ tenantId }: TenantScope, runId: string) =>
  ({ index: "gsi1", pk: indexKeys.testResultOfRun(tenantId, runId, "").gsi1pk }) as const;

const Figures = v.pick(StoredResult, ["item_id", "column", "score", "error", "duration_ms", "usage", "judge_usage"]);
const readFigures = itemReader(Figures);

/** Returns the scores that a column of a run has for items, by id of the item. */
export async function findScores(
  scope: TenantScope,
  runId: string,
  column: number,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const pages = await Promise.all(
    itemIds.map((item_id) => {
      const cell = toCell({ item_id, column });
      const attributes = Object.keys(Figures.entries);
      return tenantTable(scope).query({ ...resultsOf(scope, runId), between: [cell, cell], attributes, limit: 1 });
    }),
  );
  return new Map(pages.flat().map((item) => [readFigures(item).item_id, readFigures(item).score]));
}

const SCAN_SIZE = 200;

/** Yields the results of a run in pages, without their texts. */
export async function* scanFigures(scope: TenantScope, runId: string) {
  const attributes = Object.keys(Figures.entries);
  let after: string | undefined;
  do {
    const items = await tenantTable(scope).query({ ...resultsOf(scope, runId), attributes, after, limit: SCAN_SIZE });
    yield items.map(readFigures);
    after = items.length < SCAN_SIZE ? undefined : String(items.at(-1)?.gsi1sk);
  } while (after !== undefined);
}

/** Deletes the runs of a deleted set with their results. */
export async function purgeTestRuns(scope: TenantScope, setId: string): Promise<void> {
  const table = tenantTable(scope);
  const { gsi1pk: pk } = indexKeys.testRunOfSet(scope.tenantId, setId, "");
  for (;;) {
    const runs = await table.query({ index: "gsi1", pk, limit: SWEEP_BATCH_SIZE });
    for (const run of runs) {
      for (;;) {
        const query = { ...resultsOf(scope, String(run.id)), limit: SWEEP_BATCH_SIZE, attributes: [] };
        const results = await table.query(query);
        await table.deleteMany(results);
        if (results.length < SWEEP_BATCH_SIZE) break;
      }
      await table.deleteMany([run]);
    }
    if (runs.length < SWEEP_BATCH_SIZE) break;
  }
}
