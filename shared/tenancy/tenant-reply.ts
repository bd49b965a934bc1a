import type { AdministeredTenant as TenantReply } from "../api/tenancy/tenants.ts";
import type { TenantWithDeletedItems } from "./tenant-admin-store.ts";

/** Converts a tenant to the form in which the API returns it to the operator. */
export function toTenantReply(tenant: TenantWithDeletedItems): TenantReply {
  const {
    tenant_id: id,
    name,
    plan,
    billing_id,
    limits,
    budgets,
    suspended_at,
    deletedItems: deleted_items,
    created_at,
  } = tenant;
  const { deletion_requested_at: requested_at, deletion_completed_at: completed_at, deletion_proof: proof } = tenant;
  const deletion = requested_at ? { requested_at, completed_at, deleted_items, proof } : null;
  const status = deletion ? (completed_at ? "deleted" : "deleting") : suspended_at ? "suspended" : "active";
  return { id, name, plan, billing_id, limits, budgets, status, suspended_at, deletion, created_at };
}
