import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { appliedWrite } from "../document-state.ts";
import type { StoredDocument } from "../document-store.ts";
import { changeWithStatistics, toStatistics } from "./activate-placements.ts";

/** Makes the staged state of documents their own, and schedules the removal of the placements that it replaces. Idempotent. */
export async function applyStaged(scope: TenantScope, documents: readonly StoredDocument[]): Promise<void> {
  await changeWithStatistics(
    scope,
    documents
      .filter(({ staged_in, deleted }) => staged_in !== undefined && !deleted)
      .map((document) => {
        const { placement, staged_placement, staged_changes, readers, collection_id } = document;
        const after = staged_changes?.readers === undefined ? readers : staged_changes.readers;
        return {
          write: appliedWrite(scope, document),
          statistics: placement && staged_placement ? [toStatistics(placement, -1)] : [],
          narrowed: { collection_id, change: Number(after !== null) - Number(readers !== null) },
        };
      }),
  );
}
