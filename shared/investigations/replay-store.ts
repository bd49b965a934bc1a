import { InvestigationReplay } from "../api/investigations/replays.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { absent, equals, ignoreConditionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../lib/clock.ts";

const RETENTION_SECONDS = 90 * 24 * 3_600;
const MAX_LISTED = 100;

const readReplay = itemReader(InvestigationReplay);

export type ReplayRef = Pick<InvestigationReplay, "id" | "investigation_id">;

const toKey = ({ tenantId }: TenantScope, { investigation_id, id }: ReplayRef) =>
  keys.investigationReplay(tenantId, investigation_id, id);

/** Stores a replay. The rule `replay-investigation` then starts it. */
export async function createReplay(scope: TenantScope, conversationId: string, replay: InvestigationReplay) {
  await tenantTable(scope).write({
    put: {
      ...toKey(scope, replay),
      discriminator: "investigation-replay",
      ttl: expiresAfter(RETENTION_SECONDS),
      conversation_id: conversationId,
      ...replay,
    },
    condition: absent(),
  });
}

export async function findReplay(scope: TenantScope, ref: ReplayRef): Promise<InvestigationReplay | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, ref), { consistent: true });
  return item && readReplay(item);
}

/** Stores the outcome of a replay. Does nothing if the replay has already ended. */
export async function endReplay(scope: TenantScope, ref: ReplayRef, end: Partial<InvestigationReplay>): Promise<void> {
  const condition = equals({ status: "queued" });
  await tenantTable(scope)
    .write({ update: toKey(scope, ref), set: end, condition })
    .catch(ignoreConditionFailed);
}

/** Lists the latest 100 replays of an investigation, newest first. */
export async function listReplays(scope: TenantScope, investigationId: string): Promise<InvestigationReplay[]> {
  const { pk } = keys.investigationReplay(scope.tenantId, investigationId, "");
  const query = { pk, prefix: keyPrefixes.investigationReplay, descending: true, limit: MAX_LISTED };
  return (await tenantTable(scope).query(query)).map(readReplay);
}
