import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { keys } from "../../dynamodb/keys.ts";
import type { Item } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { type IndexStatistics, readStatistics } from "../index/passage-store.ts";
import type { Audience } from "../knowledge-access.ts";

interface VectorState {
  readonly space: string;
  /** Earlier embedding spaces, whose codes are deleted when all passages have vectors in the current one. */
  readonly previous: readonly string[];
  /** Number of the first passage that the job has not reached; all passages before it have vectors. */
  readonly cursor: number;
  readonly isComplete: boolean;
}

/** State of an audience's index, which a search reads first. */
export interface AudienceState {
  /** Undefined if vectors were never requested, or were not read. */
  readonly state: VectorState | undefined;
  /** Upper bound of the passage numbers. */
  readonly passages: number;
  readonly statistics: IndexStatistics;
  /** Stored item of the statistics, in which `reader-audiences.ts` records the audiences of lists. */
  readonly item: Item | undefined;
}

/**
 * Reads the index statistics of audiences in one batch.
 * @param options.withVectors true to read the vector states, too; without an embedding provider, no search needs them
 */
export async function readAudienceStates(
  scope: TenantScope,
  audiences: readonly Audience[],
  { withVectors = true }: { readonly withVectors?: boolean } = {},
): Promise<Map<Audience, AudienceState>> {
  const { tenantId } = scope;
  const stateKeys = audiences.map((audience) => keys.vectorState(tenantId, audience));
  const statisticsKeys = audiences.map((audience) => keys.indexStatistics(tenantId, audience));
  const requested = [...(withVectors ? stateKeys : []), ...statisticsKeys];
  const items = await batchGetAll(tenantTable(scope), requested, { consistent: false });
  const itemsByKey = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  const find = ({ pk, sk }: { pk: string; sk: string } = { pk: "", sk: "" }) => itemsByKey.get(`${pk} ${sk}`);
  return new Map(
    audiences.map((audience, index) => {
      const vectors = find(stateKeys[index]);
      const item = find(statisticsKeys[index]);
      const state = vectors && {
        space: String(vectors.space),
        previous: (vectors.previous ?? []) as string[],
        cursor: Number(vectors.cursor),
        isComplete: vectors.is_complete === true,
      };
      return [audience, { state, passages: Number(item?.next ?? 0), statistics: readStatistics(item), item }];
    }),
  );
}
