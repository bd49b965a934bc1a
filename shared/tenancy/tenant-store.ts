import * as v from "valibot";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { newSlug } from "../lib/ids.ts";

const Tenant = v.object({
  tenant_id: v.string(),
  /** 8 characters of `[a-z0-9]`, unique in the deployment. */
  slug: v.string(),
  /** Overrides of the default limits. No route writes them yet: operators set them in the table. */
  limits: v.object({ requests_per_minute: v.optional(v.number()) }),
  created_at: v.string(),
});
/** Tenant of this deployment. It is created with its first authenticated request. */
export type Tenant = v.InferOutput<typeof Tenant>;

const readTenant = itemReader(Tenant);

/** Cache TTL of a tenant; a changed limit takes effect within this time. */
const CACHE_TTL_MS = 30_000;

const MAX_CACHE_ENTRIES = 10_000;
const cache = new Map<string, { tenant: Tenant; readAt: number }>();

async function createTenant(scope: TenantScope): Promise<Tenant> {
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
      const createdConcurrently = error.failures[0]?.item;
      if (createdConcurrently) return readTenant(createdConcurrently);
    }
  }
}

/** Returns the tenant and creates it if necessary. It is cached, so that most requests need no read. */
export async function getOrCreateTenant(scope: TenantScope): Promise<Tenant> {
  const cached = cache.get(scope.tenantId);
  if (cached && now() - cached.readAt < CACHE_TTL_MS) return cached.tenant;
  const table = tenantTable(scope);
  const key = keys.tenant(scope.tenantId);
  // An eventually consistent read can miss a new tenant, and functions with API keys may not create it.
  const item = (await table.get(key)) ?? (await table.get(key, { consistent: true }));
  const tenant = item ? readTenant(item) : await createTenant(scope);
  if (cache.size >= MAX_CACHE_ENTRIES) cache.clear();
  cache.set(scope.tenantId, { tenant, readAt: now() });
  return tenant;
}
