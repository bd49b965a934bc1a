import * as v from "valibot";
import { Investigation, InvestigationResult, type InvestigationStatus } from "../api/investigations/investigations.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type ListQuery, listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { ConditionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { notFound } from "../lib/errors.ts";

export const investigationAccess = itemAccess(
  "investigation",
  "get",
  "query",
  "queryIndex",
  "put",
  "update",
  "deleteMany",
);

/** Investigation with the attributes that only the service uses. */
const StoredInvestigation = v.object({
  ...Investigation.entries,
  /** Hash of the incident, by which earlier occurrences are found. */
  incident_hash: v.string(),
  /** User with whose rights it runs. */
  user_id: v.string(),
  /** Tokens that were reserved from the channel's budget, and the day of that budget. */
  reserved_tokens: v.optional(v.number(), 0),
  budget_day: v.optional(v.nullable(v.string()), null),
  max_minutes: v.number(),
  result: v.optional(v.nullable(InvestigationResult), null),
});
export type StoredInvestigation = v.InferOutput<typeof StoredInvestigation>;

/** Identifies an investigation within its tenant. */
export type InvestigationRef = Pick<StoredInvestigation, "id" | "conversation_id">;

const readInvestigation = itemReader(StoredInvestigation);

/** Returns an investigation as the API lists it. */
export const toInvestigation = (stored: StoredInvestigation): Investigation => v.parse(Investigation, stored);

const toKey = ({ tenantId }: TenantScope, { conversation_id, id }: InvestigationRef) =>
  keys.investigation(tenantId, conversation_id, id);

export const newInvestigationWrite = (scope: TenantScope, investigation: StoredInvestigation): Write => ({
  put: {
    ...toKey(scope, investigation),
    ...indexKeys.investigations(scope.tenantId, investigation.id),
    discriminator: "investigation",
    ...investigation,
  },
  condition: { where: "attribute_not_exists(#pk)" },
});

/** Returns the write that changes an investigation with one of these states. */
export function investigationChange(
  scope: TenantScope,
  ref: InvestigationRef,
  from: readonly InvestigationStatus[],
  set: Partial<StoredInvestigation>,
): Write {
  return {
    update: toKey(scope, ref),
    set,
    condition: {
      where: from.map((_, index) => `#status = :from${index}`).join(" OR "),
      values: Object.fromEntries(from.map((status, index) => [`from${index}`, status])),
    },
  };
}

/** Changes an investigation that exists. @returns false if it has none of the states */
export const changeInvestigation = (
  scope: TenantScope,
  ref: InvestigationRef,
  from: readonly InvestigationStatus[],
  set: Partial<StoredInvestigation>,
): Promise<boolean> => applyChange(scope, investigationChange(scope, ref, from, set));

/** Records that the service of an incident was told of its acknowledgement, unless the incident is resolved. */
export const markAcknowledged = (scope: TenantScope, ref: InvestigationRef): Promise<boolean> =>
  applyChange(scope, {
    update: toKey(scope, ref),
    set: { state: "acknowledged" },
    condition: { where: "attribute_exists(#pk) AND #state <> :resolved", values: { resolved: "resolved" } },
  });

async function applyChange(scope: TenantScope, write: Write): Promise<boolean> {
  try {
    await tenantTable(scope).write(write);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** All states, for a change that no state prevents. */
export const anyStatus: readonly InvestigationStatus[] = [
  "queued",
  "running",
  "waiting",
  "completed",
  "interrupted",
  "failed",
  "skipped",
];

/** Finds an investigation of a known conversation. */
export async function findInvestigation(
  scope: TenantScope,
  ref: InvestigationRef,
): Promise<StoredInvestigation | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, ref), { consistent: true });
  return item && readInvestigation(item);
}

/** Returns an investigation by its id alone, as it was a moment ago. @throws ServiceError `not_found` */
export async function getInvestigation(scope: TenantScope, id: string): Promise<StoredInvestigation> {
  const { gsi1pk: pk } = indexKeys.investigations(scope.tenantId, id);
  const [item] = await tenantTable(scope).query({ index: "gsi1", pk, between: [id, id], limit: 1 });
  if (!item) throw notFound();
  return readInvestigation(item);
}

/** Lists the investigations of a tenant, the newest first. @throws ServiceError `invalid_cursor` */
export async function listInvestigations(
  scope: TenantScope,
  filters: Readonly<Record<string, unknown>>,
  where: (investigation: StoredInvestigation) => boolean,
  request: PageRequest,
): Promise<Page<StoredInvestigation>> {
  const list: ListQuery = {
    list: "investigations",
    filters,
    index: "gsi1",
    pk: indexKeys.investigations(scope.tenantId, "").gsi1pk,
    descending: true,
    where: (item) => where(readInvestigation(item)),
    maxScannedItems: 400,
  };
  const { entries, next } = await listPage(scope, list, request);
  return { entries: entries.map(readInvestigation), next };
}

/** Lists the latest investigations of a tenant, the newest first. */
export async function listLatestInvestigations(scope: TenantScope, limit: number): Promise<StoredInvestigation[]> {
  const { gsi1pk: pk } = indexKeys.investigations(scope.tenantId, "");
  return (await tenantTable(scope).query({ index: "gsi1", pk, limit, descending: true })).map(readInvestigation);
}

/** Deletes the investigations of a conversation with what they have recorded. Idempotent. */
export async function purgeInvestigations(scope: TenantScope, conversationId: string): Promise<void> {
  const table = tenantTable(scope);
  const { pk } = keys.investigation(scope.tenantId, conversationId, "");
  for (const item of await table.query({ pk, prefix: keyPrefixes.investigation })) {
    const records = await table.query({ pk: keys.investigationRecord(scope.tenantId, String(item.id), "").pk });
    await table.deleteMany([...records, item]);
  }
}
