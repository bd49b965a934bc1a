import * as v from "valibot";
import { Issuer, MAX_ISSUERS } from "../../api/tenancy/issuers.ts";
import type { TrustedIssuer } from "../../auth/jwt.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { requireItem } from "../../dynamodb/required-item.ts";
import { absent, equals, type Write } from "../../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { changedConcurrently, notFound, ServiceError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/hash.ts";
import { getAdministeredTenant } from "../tenant-admin-store.ts";

const readIssuer = itemReader(v.object({ ...Issuer.entries, hash: v.string() }));
const readLookup = itemReader(
  v.object({ tenant_id: v.string(), ...v.pick(Issuer, ["id", "issuer", "audience", "jwks_url", "claims"]).entries }),
);

/** Cache TTL of lookups, including those without a result. */
const CACHE_TTL_MS = 15_000;
const MAX_CACHE_ENTRIES = 10_000;
const cache = new Map<string, { readonly found: TrustedIssuer | undefined; readonly readAt: number }>();

/** Maximum number of audiences per token for which an identity provider is searched. */
const MAX_AUDIENCES = 5;

const toHash = (issuer: string, audience: string) => sha256(JSON.stringify([issuer, audience]));

async function findByHash(hash: string): Promise<TrustedIssuer | undefined> {
  const cached = cache.get(hash);
  if (cached && now() - cached.readAt < CACHE_TTL_MS) return cached.found;
  const item = await systemTable().get(keys.issuerLookup(hash));
  const { tenant_id: tenantId, jwks_url: jwksUrl, ...issuer } = item ? readLookup(item) : ({} as never);
  const found = item && { tenantId, jwksUrl, ...issuer };
  if (cache.size >= MAX_CACHE_ENTRIES) cache.clear();
  cache.set(hash, { found, readAt: now() });
  return found;
}

/**
 * Returns the identity provider of a tenant that issues tokens with these claims `iss` and `aud`. The token is not
 * verified yet.
 */
export async function findIssuer(issuer: string, audiences: readonly string[]): Promise<TrustedIssuer | undefined> {
  for (const audience of audiences.slice(0, MAX_AUDIENCES)) {
    const found = await findByHash(toHash(issuer, audience));
    if (found) return found;
  }
  return undefined;
}

/** Returns the identity providers of a tenant, oldest first. */
export async function listIssuers(scope: TenantScope): Promise<Issuer[]> {
  return (await tenantTable(scope).query({ pk: keys.issuer(scope.tenantId, "").pk, consistent: true })).map(readIssuer);
}

/**
 * Returns the write that replaces the list of accepted identity providers in the tenant's item. It throws ServiceError
 * `conflict` if the list has changed.
 */
function acceptedWrite(scope: TenantScope, before: readonly string[], after: readonly string[]): Write {
  return {
    update: keys.tenant(scope.tenantId),
    set: { issuer_ids: after },
    condition: equals({ issuer_ids: before }, () => changedConcurrently("The list of identity providers")),
  };
}

const isTaken = () => new ServiceError("conflict", "This pair of issuer and audience is in use.");

/** Returns the identity provider of a tenant with a pair of issuer and audience; undefined if there is none. */
export async function findOwnIssuer(
  scope: TenantScope,
  { issuer, audience }: Pick<Issuer, "issuer" | "audience">,
): Promise<Issuer | undefined> {
  return (await listIssuers(scope)).find((each) => each.issuer === issuer && each.audience === audience);
}

/**
 * Stores an identity provider that is pending. Several tenants can have one with the same pair of issuer and audience.
 * @throws ServiceError `conflict` if an active provider has the pair, or the tenant has `MAX_ISSUERS` identity providers
 */
export async function createIssuer(scope: TenantScope, created: Issuer): Promise<void> {
  const { issuer, audience } = created;
  if ((await listIssuers(scope)).length >= MAX_ISSUERS) {
    throw new ServiceError("conflict", `A tenant has at most ${MAX_ISSUERS} identity providers.`);
  }
  if (await systemTable().get(keys.issuerLookup(toHash(issuer, audience)))) throw isTaken();
  await tenantTable(scope).write({
    // Without the hash: the lookup belongs to the tenant that proves the pair.
    put: {
      ...keys.issuer(scope.tenantId, created.id),
      discriminator: "issuer",
      timestamp: now(),
      ...created,
      hash: "",
    },
    condition: absent(),
  });
}

/**
 * Makes a pending identity provider active, whose pair of issuer and audience a token has proved.
 * @throws ServiceError `conflict` if another tenant proved the pair, or the provider is no longer pending
 */
export async function activateIssuer(scope: TenantScope, pending: Issuer): Promise<Issuer> {
  const { tenantId: tenant_id } = scope;
  const { issuer_ids } = await getAdministeredTenant(scope);
  const active: Issuer = { ...pending, status: "active", nonce: null };
  const { id, issuer, audience, jwks_url, claims } = active;
  const hash = toHash(issuer, audience);
  const lookup = { tenant_id, id, issuer, audience, jwks_url, claims };
  await tenantTable(scope).transact([
    { put: { ...keys.issuerLookup(hash), discriminator: "issuer-lookup", ...lookup }, condition: absent(isTaken) },
    {
      put: { ...keys.issuer(tenant_id, id), discriminator: "issuer", timestamp: now(), ...active, hash },
      condition: equals({ nonce: pending.nonce }, () => changedConcurrently("The identity provider")),
    },
    acceptedWrite(scope, issuer_ids, [...issuer_ids, id]),
  ]);
  return active;
}

/** @throws ServiceError `not_found` */
export async function deleteIssuer(scope: TenantScope, id: string): Promise<void> {
  const { tenantId } = scope;
  const key = keys.issuer(tenantId, id);
  const { hash, status } = readIssuer(await requireItem(scope, key));
  if (status === "pending") {
    await tenantTable(scope).write({ delete: key, condition: equals({ hash }, notFound) });
    return;
  }
  const { issuer_ids } = await getAdministeredTenant(scope);
  await tenantTable(scope).transact([
    {
      delete: keys.issuerLookup(hash),
      condition: equals({ tenant_id: tenantId }, notFound),
    },
    { delete: key },
    acceptedWrite(
      scope,
      issuer_ids,
      issuer_ids.filter((each) => each !== id),
    ),
  ]);
}
