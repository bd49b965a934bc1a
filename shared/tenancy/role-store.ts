import * as v from "valibot";
import { type Role, RoleName } from "../api/tenancy/access.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";

const roleOf = (item: Item) => item as unknown as Role;

/** The tenant's own roles by name. */
export async function listCustomRoles(scope: TenantScope): Promise<Role[]> {
  return (await tenantTable(scope).query({ pk: keys.role(scope.tenantId, "").pk })).map(roleOf);
}

/** Those of the named roles that the tenant has defined. */
export async function findCustomRoles(scope: TenantScope, names: readonly string[]): Promise<Role[]> {
  const wanted = names.filter((name) => v.is(RoleName, name)).map((name) => keys.role(scope.tenantId, name));
  return (await batchGetAll(tenantTable(scope), wanted)).map(roleOf);
}

/** The write that defines a role; a name that is taken is a `conflict`. */
export function newRoleWrite(scope: TenantScope, role: Role): Write {
  return {
    put: { ...keys.role(scope.tenantId, role.name), discriminator: "role", timestamp: now(), ...role },
    condition: {
      where: "attribute_not_exists(#pk)",
      onConditionFailed: () => new ServiceError("conflict", "There is a role of this name."),
    },
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
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  });
  return roleOf(item as Item);
}

/** @throws ServiceError `not_found` */
export async function deleteRole(scope: TenantScope, name: string): Promise<void> {
  await tenantTable(scope).write({
    delete: keys.role(scope.tenantId, name),
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  });
}
