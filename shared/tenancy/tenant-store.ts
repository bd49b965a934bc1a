import { keys } from "../dynamodb/keys.ts";
import { TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { newSlug } from "../lib/ids.ts";

/** A tenant of this deployment; it appears with its first authenticated request. */
export interface Tenant {
  readonly tenant_id: string;
  /** 8 of `[a-z0-9]`, unique in the deployment. */
  readonly slug: string;
  /** Overrides of the default limits. */
  readonly limits: { readonly requests_per_minute?: number };
  readonly created_at: string;
}

/** How long a function trusts what it read of a tenant; a changed limit works within that time. */
const trustedFor = 30_000;

const known = new Map<string, { tenant: Tenant; readAt: number }>();
const mostKnown = 10_000;

async function register(scope: TenantScope): Promise<Tenant> {
  const table = tenantTable(scope);
  const key = keys.tenant(scope.tenantId);
  for (;;) {
    const slug = newSlug();
    const tenant: Tenant = { tenant_id: scope.tenantId, slug, limits: {}, created_at: timestamp() };
    const absent = { where: "attribute_not_exists(#pk)" };
    try {
      await table.transact([
        { put: { ...key, discriminator: "tenant", timestamp: now(), ...tenant }, condition: absent },
        { put: { ...keys.slug(slug), discriminator: "slug", tenant_id: scope.tenantId }, condition: absent },
      ]);
      return tenant;
    } catch (error) {
      if (!(error instanceof TransactionFailed)) throw error;
      const winner = error.failures[0]?.item;
      if (winner) return winner as unknown as Tenant;
    }
  }
}

/** The tenant's record, made when there is none yet. Trusted for half a minute, so that it costs most requests nothing. */
export async function tenantRecord(scope: TenantScope): Promise<Tenant> {
  const cached = known.get(scope.tenantId);
  if (cached && now() - cached.readAt < trustedFor) return cached.tenant;
  const found = await tenantTable(scope).get(keys.tenant(scope.tenantId));
  const tenant = (found as unknown as Tenant | undefined) ?? (await register(scope));
  if (known.size >= mostKnown) known.clear();
  known.set(scope.tenantId, { tenant, readAt: now() });
  return tenant;
}
