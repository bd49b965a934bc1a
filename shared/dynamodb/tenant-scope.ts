import { env } from "../lib/env.ts";
import { attributeDeletions, attributeWrite, getActor } from "./audit-attribution.ts";
import { indexKeys } from "./keys.ts";
import { openTable } from "./open-table.ts";
import { takeReadAhead } from "./read-ahead.ts";
import { getWriteKey, ignoreConditionFailed, type Key, type Query, type Table, type Write } from "./table.ts";

/** Tenant to which store calls are confined. Every principal is a tenant scope. */
export interface TenantScope {
  readonly tenantId: string;
}

export interface UserScope extends TenantScope {
  readonly userId: string;
}

/** Scope for data of the deployment itself. No tenant can have this id. */
export const deploymentScope = { tenantId: "~deployment" } as const satisfies TenantScope;

/** Returns the scope of the tenant in the first part of a partition key. */
export function scopeFromKey(pk: string): TenantScope {
  return { tenantId: pk.slice(0, pk.indexOf("#")) };
}

/** Error for a store call with a key outside its tenant. It is a programming error that no request can cause. */
export class ForeignKeyError extends Error {
  override name = "ForeignKeyError";
  constructor() {
    super("The key is outside the tenant of the store call");
  }
}

/**
 * Returns true for a write to a lookup item of this tenant. Lookup items lie outside the tenant's partitions, because they
 * are read before the tenant is known. A put must contain the tenant id, and any other write must have it as a condition.
 */
function isOwnLookup(write: Write, tenantId: string): boolean {
  const { pk } = getWriteKey(write);
  const required = "put" in write ? write.put : write.condition?.required;
  return pk.startsWith("~") && required?.tenant_id === tenantId;
}

/** Returns true if attributes are an entry of this tenant, and no other one, in the lists of all tenants and of due schedules. */
function isOwnListEntry(attributes: Readonly<Record<string, unknown>> | undefined, tenantId: string): boolean {
  const { gsi1pk, gsi1sk } = indexKeys.tenantOfDeployment(tenantId);
  if (attributes?.gsi1pk === gsi1pk) return attributes.gsi1sk === gsi1sk;
  const isDue = attributes?.gsi1pk === indexKeys.dueSchedule(tenantId, "", "").gsi1pk;
  return isDue && String(attributes.gsi1sk).split("#")[1] === tenantId;
}

/**
 * Confines a table to one tenant: every key must start with the tenant id, and writes record their actor.
 * @returns a table whose operations throw ForeignKeyError for any other key
 */
export function confineToTenant(table: Table, scope: TenantScope): Table {
  const { tenantId } = scope;
  const actor = getActor(scope);
  const assertOwnPartition = (partition: string | undefined) => {
    if (partition !== undefined && !partition.startsWith(`${tenantId}#`)) throw new ForeignKeyError();
  };
  const assertOwnKeys = (keys: readonly Key[]) => {
    for (const { pk } of keys) assertOwnPartition(pk);
  };
  const assertOwnWrite = (write: Write) => {
    if (!isOwnLookup(write, tenantId)) assertOwnPartition(getWriteKey(write).pk);
    const attributes = "put" in write ? write.put : "update" in write ? write.set : undefined;
    if (!isOwnListEntry(attributes, tenantId)) assertOwnPartition(attributes?.gsi1pk as string | undefined);
  };
  const recordDeletionActor = async (writes: readonly Write[]) => {
    const attributions = attributeDeletions(writes, actor).map((attribution) =>
      table.write(attribution).catch(ignoreConditionFailed),
    );
    await Promise.all(attributions);
  };
  return {
    async get(key, options) {
      assertOwnKeys([key]);
      const readAhead = takeReadAhead(scope, key, options);
      return readAhead ? readAhead.item : table.get(key, options);
    },
    async getMany(keys, options) {
      assertOwnKeys(keys);
      return table.getMany(keys, options);
    },
    async query(query: Query) {
      assertOwnPartition(query.pk);
      return table.query(query);
    },
    async write(write) {
      assertOwnWrite(write);
      await recordDeletionActor([write]);
      return table.write(attributeWrite(write, actor));
    },
    async transact(writes) {
      for (const write of writes) assertOwnWrite(write);
      await recordDeletionActor(writes);
      return table.transact(writes.map((write) => attributeWrite(write, actor)));
    },
    async deleteMany(keys) {
      assertOwnKeys(keys);
      return table.deleteMany(keys);
    },
  };
}

let opened: Table | undefined;

/** Returns the table without confinement to a tenant, for lookups before authentication. */
export function systemTable(): Table {
  opened ??= openTable(env("TABLE_NAME").TABLE_NAME);
  return opened;
}

/** Returns the table of the deployment, whose operations throw ForeignKeyError for keys of other tenants. */
export function tenantTable(scope: TenantScope): Table {
  return confineToTenant(systemTable(), scope);
}
