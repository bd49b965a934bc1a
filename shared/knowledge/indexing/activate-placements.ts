import type { Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { activationWrite, deactivationWrite } from "../document-state.ts";
import { findDocuments, type StoredDocument } from "../document-store.ts";
import { type StatisticsChange, statisticsWrites } from "../index/passage-store.ts";
import type { Placement } from "../placement.ts";
import type { PlacedDocument } from "./change-index.ts";
import { ignoreAlreadyCounted } from "./ignore-gone.ts";

/** Maximum number of documents per transaction of 100 writes, which also update statistics. */
const MAX_DOCUMENTS_PER_TRANSACTION = 50;

/** Write to one document or message, and the changes of statistics that belong to it. */
interface DocumentChange {
  readonly write: Write;
  readonly statistics: readonly StatisticsChange[];
}

const toStatistics = ({ audience, language, count, length }: Placement, sign: 1 | -1): StatisticsChange => ({
  audience,
  language,
  passages: sign * count,
  length: sign * length,
});

/**
 * Changes documents and statistics in the same transactions, so that each placement is counted exactly once. Documents
 * that were changed concurrently are left out.
 */
export async function changeWithStatistics(scope: TenantScope, changes: readonly DocumentChange[]): Promise<void> {
  const table = tenantTable(scope);
  const toTransaction = (group: readonly DocumentChange[]) => [
    ...group.map(({ write }) => write),
    ...statisticsWrites(
      scope,
      group.flatMap(({ statistics }) => statistics),
    ),
  ];
  for (let start = 0; start < changes.length; start += MAX_DOCUMENTS_PER_TRANSACTION) {
    const group = changes.slice(start, start + MAX_DOCUMENTS_PER_TRANSACTION);
    try {
      await table.transact(toTransaction(group));
    } catch (error) {
      ignoreAlreadyCounted(error);
      await mapConcurrent(group, (change) => table.transact(toTransaction([change])).catch(ignoreAlreadyCounted), 4);
    }
  }
}

/**
 * Activates the new placements of documents, so that searches find them.
 * @returns the documents with old placements to remove
 */
export async function activatePlacements(
  scope: TenantScope,
  added: readonly PlacedDocument[],
): Promise<StoredDocument[]> {
  await changeWithStatistics(
    scope,
    added.map(({ document, placement: next }) => ({
      write: activationWrite(scope, document, { ...next, indexed: next.count }),
      statistics: [toStatistics(next, 1), ...(document.placement ? [toStatistics(document.placement, -1)] : [])],
    })),
  );
  const replaced = added.filter(({ document }) => document.placement !== undefined || document.retired !== undefined);
  const current = await findDocuments(
    scope,
    replaced.map(({ document }) => document),
  );
  return current.filter(({ retired = [] }) => retired.length > 0);
}

/**
 * Deactivates the placements of documents: subtracts them from the statistics and schedules the removal of their
 * passages.
 */
export async function deactivatePlacements(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  await changeWithStatistics(
    scope,
    documents.flatMap((document) => {
      const { placement, next_placement: next, retired = [] } = document;
      if (!placement) return [];
      const current = { ...document, retired: next ? [...retired, next] : retired };
      return [{ write: deactivationWrite(scope, current, placement), statistics: [toStatistics(placement, -1)] }];
    }),
  );
}
