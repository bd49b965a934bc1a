import * as v from "valibot";
import { OperatorBudget } from "../api/governance/budgets.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { absent, TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { findSetting } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import { newSlug } from "../lib/ids.ts";

const Tenant = v.object({
  tenant_id: v.string(),
  /** 8 characters of `[a-z0-9]`, unique in the deployment. */
  slug: v.string(),
  name: v.nullable(v.string()),
  plan: v.nullable(v.string()),
  /** Id of the tenant as a customer of the operator's billing service. */
  billing_id: v.nullable(v.string()),
  /** Limits that the operator set. Without one, the deployment's default applies, or no limit. */
  limits: v.object({
    requests_per_minute: v.optional(v.number()),
    tokens_per_minute: v.optional(v.number()),
    concurrent_runs: v.optional(v.number()),
    members: v.optional(v.number()),
    documents: v.optional(v.number()),
    storage_bytes: v.optional(v.number()),
  }),
  /** Number of members; only counted while there is a limit of members. */
  member_count: v.optional(v.number()),
  /** Time of the suspension; also set when a deletion is requested. Null for an active tenant. */
  suspended_at: v.nullable(v.string()),
  deletion_requested_at: v.nullable(v.string()),
  deletion_completed_at: v.nullable(v.string()),
  /** Hash over the keys of all items that the deletion has removed so far. */
  deletion_proof: v.nullable(v.string()),
  /** Budgets that the operator set. */
  budgets: v.array(OperatorBudget),
  /** Ids of the tenant's own identity providers whose tokens are accepted. */
  issuer_ids: v.array(v.string()),
  /** Number of budgets that the tenant's administrators set. */
  budget_count: v.number(),
  created_at: v.string(),
});
/** Tenant of this deployment. It is created by the operator or by its first authenticated request. */
export type Tenant = v.InferOutput<typeof Tenant>;

export const readTenant = itemReader(Tenant);

/**
 * Cache TTL of a tenant. A changed limit or a suspension takes effect within this time, and in an open stream at its
 * next check.
 */
const CACHE_TTL_MS = 15_000;

const MAX_CACHE_ENTRIES = 10_000;
const cache = new Map<string, { tenant: Tenant; readAt: number }>();

/** Properties of a tenant that the operator can set. */
export type TenantProperties = Pick<Tenant, "name" | "plan" | "billing_id" | "limits" | "budgets">;

/**
 * Creates a tenant with a unique slug, unless it exists.
 * @returns the new or existing tenant, and whether it existed before
 */
export async function createTenant(
  scope: TenantScope,
  properties: TenantProperties = { name: null, plan: null, billing_id: null, limits: {}, budgets: [] },
): Promise<{ readonly tenant: Tenant; readonly existed: boolean }> {
  const table = tenantTable(scope);
  const { tenantId } = scope;
  for (;;) {
    const slug = newSlug();
    const tenant: Tenant = {
      tenant_id: tenantId,
      slug,
      ...properties,
      ...(properties.limits.members !== undefined && { member_count: 0 }),
      suspended_at: null,
      deletion_requested_at: null,
      deletion_completed_at: null,
      deletion_proof: null,
      issuer_ids: [],
      budget_count: 0,
      created_at: timestamp(),
    };
    const key = { ...keys.tenant(tenantId), ...indexKeys.tenantOfDeployment(tenantId) };
    try {
      await table.transact([
        { put: { ...key, discriminator: "tenant", timestamp: now(), ...tenant }, condition: absent() },
        { put: { ...keys.slug(slug), discriminator: "slug", tenant_id: tenantId }, condition: absent() },
      ]);
      return { tenant, existed: false };
    } catch (error) {
      if (!(error instanceof TransactionFailed)) throw error;
      const createdConcurrently = error.failures[0]?.item;
      if (createdConcurrently) return { tenant: readTenant(createdConcurrently), existed: true };
    }
  }
}

/**
 * Requires that tenants may be created by their first request.
 * @throws ServiceError `forbidden` if only the operator creates tenants (`TENANT_CREATION`)
 */
function requireOpenCreation(): void {
  if (findSetting("TENANT_CREATION") !== "api") return;
  throw new ServiceError(
    "forbidden",
    "This organization does not use the service. Contact the operator of the service.",
  );
}

function findCached({ tenantId }: TenantScope): Tenant | undefined {
  const cached = cache.get(tenantId);
  return cached && now() - cached.readAt < CACHE_TTL_MS ? cached.tenant : undefined;
}

function remember(tenant: Tenant): Tenant {
  if (cache.size >= MAX_CACHE_ENTRIES) cache.clear();
  cache.set(tenant.tenant_id, { tenant, readAt: now() });
  return tenant;
}

/** @throws ServiceError `forbidden` if the tenant is suspended */
export function rejectSuspended(tenant: Tenant | undefined): void {
  if (tenant?.suspended_at) {
    throw new ServiceError("forbidden", "This organization is suspended. Contact the operator of the service.");
  }
}

/**
 * Requires that a tenant is not suspended. A missing tenant passes.
 * @throws ServiceError `forbidden`
 */
export async function requireActiveTenant(scope: TenantScope): Promise<void> {
  const cached = findCached(scope);
  const item = cached ? undefined : await tenantTable(scope).get(keys.tenant(scope.tenantId));
  rejectSuspended(cached ?? (item && remember(readTenant(item))));
}

/** Returns false once the tenant is suspended, so that an open stream must end. Other errors count as active. */
export const isActiveTenant = (scope: TenantScope): Promise<boolean> =>
  requireActiveTenant(scope).then(
    () => true,
    (error) => !(error instanceof ServiceError && error.code === "forbidden"),
  );

/**
 * Requires that a token's identity provider has not been removed. API Gateway caches authorizations, so the authorizer
 * may not notice a removal.
 * @throws ServiceError `unauthorized`
 */
export async function requireIssuer(scope: TenantScope, tenant: Tenant, issuerId: string): Promise<void> {
  if (tenant.issuer_ids.includes(issuerId)) return;
  // The cached tenant can be older than the identity provider.
  const item = await tenantTable(scope).get(keys.tenant(scope.tenantId), { consistent: true });
  if (item && remember(readTenant(item)).issuer_ids.includes(issuerId)) return;
  throw new ServiceError("unauthorized", "The identity provider of the token was removed.");
}

/** Returns a tenant, from a cache of 15 seconds; undefined if it does not exist. */
export async function findTenant(scope: TenantScope): Promise<Tenant | undefined> {
  const cached = findCached(scope);
  if (cached) return cached;
  const table = tenantTable(scope);
  const key = keys.tenant(scope.tenantId);
  // An eventually consistent read can miss a new tenant.
  const item = (await table.get(key)) ?? (await table.get(key, { consistent: true }));
  return item && remember(readTenant(item));
}

/**
 * Returns the tenant of a verified key.
 * @throws ServiceError `unauthorized` if the tenant has been deleted
 */
export async function getTenant(scope: TenantScope): Promise<Tenant> {
  const tenant = await findTenant(scope);
  if (!tenant) throw new ServiceError("unauthorized");
  return tenant;
}

/**
 * Returns the tenant of a user; creates it if necessary. Concurrent calls share one lookup.
 * @throws ServiceError `forbidden` if it does not exist and only the operator creates tenants
 */
export function getOrCreateTenant(scope: TenantScope): Promise<Tenant> {
  const running = lookups.get(scope.tenantId);
  if (running) return running;
  const lookup = findOrCreateTenant(scope).finally(() => lookups.delete(scope.tenantId));
  lookups.set(scope.tenantId, lookup);
  return lookup;
}

async function findOrCreateTenant(scope: TenantScope): Promise<Tenant> {
  const tenant = await findTenant(scope);
  if (tenant) return tenant;
  requireOpenCreation();
  return remember((await createTenant(scope)).tenant);
}

/** Running lookups by tenant id, which concurrent calls of `getOrCreateTenant` share. */
const lookups = new Map<string, Promise<Tenant>>();
