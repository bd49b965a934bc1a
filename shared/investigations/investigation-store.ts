import * as v from "valibot";
import { Investigation, InvestigationResult, type InvestigationStatus } from "../api/investigations/investigations.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type ListQuery, listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import {
  absent,
  allOf,
  anyOf,
  type Condition,
  differs,
  equals,
  exists,
  isPerformed,
  lacksAttribute,
  type Write,
} from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { notFound } from "../lib/errors.ts";

/**
 * Investigation with the attributes that clients do not receive. `alert_id` is the id of a message, as in the API, and not
 * the id that its provider gave the alert.
 */
const StoredInvestigation = v.object({
  ...Investigation.entries,
  /** Hash of the incident, by which earlier investigations of it are found. */
  incident_hash: v.string(),
  /** User whose permissions the investigation has. */
  user_id: v.string(),
  /** Tokens that are reserved from the channel's budget, and the day (UTC) of that budget. */
  reserved_tokens: v.number(),
  budget_day: v.nullable(v.string()),
  max_minutes: v.number(),
  result: v.nullable(InvestigationResult),
});
export type StoredInvestigation = v.InferOutput<typeof StoredInvestigation>;

export type InvestigationRef = Pick<StoredInvestigation, "id" | "conversation_id">;

const readInvestigation = itemReader(StoredInvestigation);

/** Returns the attributes of an investigation that clients receive. */
export const toInvestigation = (stored: StoredInvestigation): Investigation => v.parse(Investigation, stored);

const toKey = ({ tenantId }: TenantScope, { conversation_id, id }: InvestigationRef) =>
  keys.investigation(tenantId, conversation_id, id);

/**
 * Returns the write that stores a new investigation. The rule `finish-investigation` ends it when its answer is stored.
 */
export const newInvestigationWrite = (scope: TenantScope, investigation: StoredInvestigation): Write => ({
  put: {
    ...toKey(scope, investigation),
    ...indexKeys.investigations(scope.tenantId, investigation.id),
    discriminator: "investigation",
    ...investigation,
  },
  condition: absent(),
});

/** Returns the write that deletes an investigation without records. It fails unless the condition holds. */
export const removeInvestigationWrite = (scope: TenantScope, ref: InvestigationRef, condition: Condition): Write => ({
  delete: toKey(scope, ref),
  condition,
});

/** Maximum number of merges that are followed: each new investigation of an ongoing incident adds one. */
const MAX_MERGES = 20;

/** Returns the investigation that an investigation was merged into, also indirectly; itself if it was not. */
export async function findMergedInto(
  scope: TenantScope,
  investigation: StoredInvestigation,
  maxMerges = MAX_MERGES,
): Promise<StoredInvestigation> {
  const { merged_into: id, conversation_id } = investigation;
  if (id === null || maxMerges === 0) return investigation;
  const next = await findInvestigation(scope, { id, conversation_id });
  return next ? findMergedInto(scope, next, maxMerges - 1) : investigation;
}

/**
 * Returns the writes that merge an investigation into another one of its conversation, or separate it. They fail if it has
 * others merged into it, or if the other one is merged itself.
 */
export function mergeWrites(
  scope: TenantScope,
  source: Pick<StoredInvestigation, "id" | "conversation_id" | "merged_into">,
  into: string | null,
): Write[] {
  const { conversation_id, merged_into: before } = source;
  const has = (name: "merged_into" | "merged_count", value: string | number | null) =>
    value === null || value === 0
      ? anyOf([lacksAttribute(name), equals({ [name]: value })])
      : equals({ [name]: value });
  const count = (id: string, change: 1 | -1): Write => ({
    update: toKey(scope, { id, conversation_id }),
    add: { merged_count: change },
    // It may have been merged since, into a later investigation of its incident.
    condition: change < 0 ? exists() : allOf([exists(), has("merged_into", null)]),
  });
  return [
    {
      update: toKey(scope, source),
      set: { merged_into: into },
      condition: allOf([exists(), has("merged_into", before), has("merged_count", 0)]),
    },
    ...(before === null ? [] : [count(before, -1)]),
    ...(into === null ? [] : [count(into, 1)]),
  ];
}

/**
 * Returns the write that changes an investigation. It fails unless the status is one of `from`. Upon the status
 * `completed`, the rule `post-result-to-messengers` and the rule `note-result-in-monitoring-tool` publish the result.
 */
export function investigationChange(
  scope: TenantScope,
  ref: InvestigationRef,
  from: readonly InvestigationStatus[],
  set: Partial<StoredInvestigation>,
): Write {
  return {
    update: toKey(scope, ref),
    set,
    condition: anyOf(from.map((status) => equals({ status }))),
  };
}

/**
 * Changes an investigation if its status is one of `from`.
 * @returns false if it has another status or does not exist
 */
export const changeInvestigation = (
  scope: TenantScope,
  ref: InvestigationRef,
  from: readonly InvestigationStatus[],
  set: Partial<StoredInvestigation>,
): Promise<boolean> => applyChange(scope, investigationChange(scope, ref, from, set));

/**
 * Records that the monitoring tool was told of the acknowledgement, unless the incident is already resolved.
 * @returns false if nothing was changed
 */
export const markAcknowledged = (scope: TenantScope, ref: InvestigationRef): Promise<boolean> =>
  applyChange(scope, {
    update: toKey(scope, ref),
    set: { state: "acknowledged" },
    condition: allOf([exists(), differs({ state: "resolved" })]),
  });

async function applyChange(scope: TenantScope, write: Write): Promise<boolean> {
  return isPerformed(tenantTable(scope).write(write));
}

/** All statuses, for changes that are allowed in each. */
export const anyStatus: readonly InvestigationStatus[] = [
  "queued",
  "running",
  "waiting",
  "completed",
  "interrupted",
  "failed",
  "skipped",
];

/** Returns an investigation, or undefined if it does not exist. */
export async function findInvestigation(
  scope: TenantScope,
  ref: InvestigationRef,
): Promise<StoredInvestigation | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, ref), { consistent: true });
  return item && readInvestigation(item);
}

/**
 * Returns an investigation by its id alone, without the id of its conversation. Reads an index that is eventually
 * consistent.
 * @throws ServiceError `not_found`
 */
export async function getInvestigation(scope: TenantScope, id: string): Promise<StoredInvestigation> {
  const { gsi1pk: pk } = indexKeys.investigations(scope.tenantId, id);
  const [item] = await tenantTable(scope).query({ index: "gsi1", pk, between: [id, id], limit: 1 });
  if (!item) throw notFound();
  return readInvestigation(item);
}

/**
 * Lists the investigations of a tenant that match a filter, newest first.
 * @param filters values that the cursor is bound to
 * @throws ServiceError `invalid_cursor`
 */
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
  return mapPage(await listPage(scope, list, request), readInvestigation);
}

/** Returns the latest investigations of a tenant, newest first. */
export async function listLatestInvestigations(scope: TenantScope, limit: number): Promise<StoredInvestigation[]> {
  const { gsi1pk: pk } = indexKeys.investigations(scope.tenantId, "");
  return (await tenantTable(scope).query({ index: "gsi1", pk, limit, descending: true })).map(readInvestigation);
}

/** Number of the latest investigations among which those are searched that were merged into another one. */
const MAX_SEARCHED_MERGED = 100;

/** Returns the investigations that were merged into one, newest first, all of its conversation. */
export async function listMerged(
  scope: TenantScope,
  { id, conversation_id, merged_count }: StoredInvestigation,
): Promise<StoredInvestigation[]> {
  if (merged_count === 0) return [];
  const latest = await listLatestInvestigations(scope, MAX_SEARCHED_MERGED);
  return latest.filter((other) => other.merged_into === id && other.conversation_id === conversation_id);
}

/** Deletes the investigations of a conversation with their records. Idempotent. */
export async function purgeInvestigations(scope: TenantScope, conversationId: string): Promise<void> {
  const table = tenantTable(scope);
  const { pk } = keys.investigation(scope.tenantId, conversationId, "");
  for (const item of await table.query({ pk, prefix: keyPrefixes.investigation })) {
    const records = await table.query({ pk: keys.investigationRecord(scope.tenantId, String(item.id), "").pk });
    await table.deleteMany([...records, item]);
  }
}
