import { randomBytes } from "node:crypto";
import { type Capability, capabilities } from "#shared/api/capabilities.ts";
import { createIssuerRoute, deleteIssuerRoute, type Issuer, listIssuersRoute } from "#shared/api/tenancy/issuers.ts";
import { verifyIssuerProof } from "#shared/auth/jwt.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { invalidField, ServiceError } from "#shared/lib/errors.ts";
import { newId } from "#shared/lib/ids.ts";
import { authorizeGrant } from "#shared/tenancy/access-rights.ts";
import { discoverKeySet } from "#shared/tenancy/issuers/discover-key-set.ts";
import {
  activateIssuer,
  createIssuer,
  deleteIssuer,
  findOwnIssuer,
  listIssuers,
} from "#shared/tenancy/issuers/issuer-store.ts";

/** @throws ServiceError `validation_failed` if the token does not prove the pair of a pending provider */
async function requireProof({ issuer, audience, jwks_url: jwksUrl }: Issuer, token: string, nonce: string) {
  try {
    await verifyIssuerProof(token, { issuer, audience, jwksUrl }, nonce);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "unauthorized") throw error;
    throw invalidField("token", "invalid_value", error.message);
  }
}

export const createIssuerHandler = endpoint(
  createIssuerRoute,
  async ({ principal, rights, body: { token, ...settings } }) => {
    authorizeGrant((await rights()).permissions, Object.keys(capabilities) as Capability[]);
    const jwks_url = await discoverKeySet(settings.issuer);
    const own = await findOwnIssuer(principal, settings);
    if (token !== undefined) {
      if (own?.nonce == null) throw invalidField("token", "invalid_value", "belongs to no pending identity provider");
      const pending = { ...own, jwks_url };
      await requireProof(pending, token, own.nonce);
      return new Reply(200, await activateIssuer(principal, pending));
    }
    if (own?.status === "pending") return new Reply(200, own);
    const created: Issuer = {
      id: newId(),
      ...settings,
      jwks_url,
      status: "pending",
      nonce: randomBytes(24).toString("base64url"),
      created_at: timestamp(),
      created_by: principal.userId,
    };
    await createIssuer(principal, created);
    return new Reply(201, created);
  },
);

export const deleteIssuerHandler = endpoint(deleteIssuerRoute, ({ principal, params }) =>
  deleteIssuer(principal, params.id),
);

export const listIssuersHandler = endpoint(listIssuersRoute, async ({ principal }) => ({
  issuers: await listIssuers(principal),
}));
