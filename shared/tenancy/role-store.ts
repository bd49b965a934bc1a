import * as v from "valibot";
import type { Capability } from "../api/capabilities.ts";
import { Role, RoleName } from "../api/tenancy/access.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { deleteExistingItem } from "../dynamodb/required-item.ts";
import { absent, exists, type Item, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";

// A role may name a capability that a later release removed; such a capability grants nothing.
const readRole = itemReader(v.object({ ...Role.entries, permissions: trusted<Capability[]>() }));

/** Returns the custom roles of the tenant, ordered by name. */
export async function listCustomRoles(scope: TenantScope): Promise<Role[]> {
  return (await tenantTable(scope).query({ pk: keys.role(scope.tenantId, "").pk })).map(readRole);
}

/** Returns those of the named roles that the tenant has defined. */
export async function findCustomRoles(scope: TenantScope, names: readonly string[]): Promise<Role[]> {
  const roleKeys = names.filter((name) => v.is(RoleName, name)).map((name) => keys.role(scope.tenantId, name));
  return (await batchGetAll(tenantTable(scope), roleKeys)).map(readRole);
}

/** Returns the write that creates a role. It throws ServiceError `conflict` if the name is taken. */
export function newRoleWrite(scope: TenantScope, role: Role): Write {
  return {
    put: { ...keys.role(scope.tenantId, role.name), discriminator: "role", timestamp: now(), ...role },
    condition: absent(() => new ServiceError("conflict", "A role with this name already exists.")),
  };
}

/** @throws ServiceError `not_found` */
export async function updateRole(
  scope: TenantScope,
  name: string,
  changes: Partial<Pick<Role, "description" | "permissions">>,
): Promise<Role> {
  const item = await tenantTable(scope).write({
    update: keys.role(scope.tenantId, name),
    set: { ...changes, timestamp: now() },
    condition: exists(notFound),
  });
  return readRole(item as Item);
}

/** @throws ServiceError `not_found` */
export async function deleteRole(scope: TenantScope, name: string): Promise<void> {
  await deleteExistingItem(scope, keys.role(scope.tenantId, name));
}
