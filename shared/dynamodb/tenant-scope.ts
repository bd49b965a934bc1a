import { env } from "../lib/env.ts";
import { attributeDeletions, attributeWrite, getActor } from "./audit-attribution.ts";
import { openTable } from "./open-table.ts";
import { ConditionFailed, getWriteKey, type Key, type Query, type Table, type Write } from "./table.ts";

/** Whose data a store call may touch. Principals are tenant scopes. */
export interface TenantScope {
  readonly tenantId: string;
}

/** A user within a tenant. */
export interface UserScope extends TenantScope {
  readonly userId: string;
}

/** Whose an item with that partition key is. */
export function scopeFromKey(pk: string): TenantScope {
  return { tenantId: pk.slice(0, pk.indexOf("#")) };
}

/** A key lay outside the tenant that a store call was made for: a programming error, never a caller's. */
export class ForeignKeyError extends Error {
  override name = "ForeignKeyError";
  constructor() {
    super("A store reached for a key outside its tenant");
  }
}

/**
 * Writes may reach partitions that are read before the tenant is known, as long as they stay with their tenant: what is
 * put there names it, and what is changed or deleted there is conditional on it.
 */
function isOwnLookup(write: Write, tenantId: string): boolean {
  const { pk } = getWriteKey(write);
  const named = "put" in write ? write.put.tenant_id : write.condition?.values?.tenant_id;
  const bound = "put" in write || write.condition?.where.includes("#tenant_id = :tenant_id");
  return pk.startsWith("~") && bound === true && named === tenantId;
}

/**
 * The table as one tenant may use it: every operation whose keys do not all begin with the tenant throws, and whatever is
 * changed says by whom.
 * @throws ForeignKeyError from any of its operations
 */
export function confineToTenant(table: Table, scope: TenantScope): Table {
  const { tenantId } = scope;
  const actor = getActor(scope);
  const own = (partition: string | undefined) => {
    if (partition !== undefined && !partition.startsWith(`${tenantId}#`)) throw new ForeignKeyError();
  };
  const ownKeys = (keys: readonly Key[]) => {
    for (const { pk } of keys) own(pk);
  };
  const ownWrite = (write: Write) => {
    if (!isOwnLookup(write, tenantId)) own(getWriteKey(write).pk);
    const attributes = "put" in write ? write.put : "update" in write ? write.set : undefined;
    own(attributes?.gsi1pk as string | undefined);
  };
  const signDeletions = async (writes: readonly Write[]) => {
    const signatures = attributeDeletions(writes, actor).map((signature) =>
      table.write(signature).catch((error) => {
        if (!(error instanceof ConditionFailed)) throw error;
      }),
    );
    await Promise.all(signatures);
  };
  return {
    async get(key, options) {
      ownKeys([key]);
      return table.get(key, options);
    },
    async getMany(keys, options) {
      ownKeys(keys);
      return table.getMany(keys, options);
    },
    async query(query: Query) {
      own(query.pk);
      return table.query(query);
    },
    async write(write) {
      ownWrite(write);
      await signDeletions([write]);
      return table.write(attributeWrite(write, actor));
    },
    async transact(writes) {
      for (const write of writes) ownWrite(write);
      await signDeletions(writes);
      return table.transact(writes.map((write) => attributeWrite(write, actor)));
    },
    async deleteMany(keys) {
      ownKeys(keys);
      return table.deleteMany(keys);
    },
  };
}

let opened: Table | undefined;

/** The deployment's table without confinement: for look-ups that come before the tenant is known. */
export function systemTable(): Table {
  opened ??= openTable(env("TABLE_NAME").TABLE_NAME);
  return opened;
}

/** The deployment's table, confined to one tenant. */
export function tenantTable(scope: TenantScope): Table {
  return confineToTenant(systemTable(), scope);
}
