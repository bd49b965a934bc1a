import { createHmac } from "node:crypto";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { FindIssuer, TrustedIssuer } from "#shared/auth/jwt.ts";
import { verifyJwt } from "#shared/auth/jwt.ts";
import { externalIdOfCaller } from "#shared/auth/principal.ts";
import { foreignUserValues } from "#test/support/tenancy/foreign-user-values.ts";
import { type OidcServer, startOidcServer } from "#test/support/tenancy/oidc-server.ts";

const audience = "https://chat.example.com";
let deployment: OidcServer;
let first: OidcServer;
let second: OidcServer;
/** Server whose issuer no tenant has. */
let stranger: OidcServer;
let lookups = 0;

const claims = { user_id: "oid", name: "name", email: "mail", roles: "app_roles", groups: "groups" };
const toTrusted = ({ issuer }: OidcServer, tenantId: string): TrustedIssuer => ({
  id: `id-${tenantId}`,
  tenantId,
  issuer,
  audience,
  jwksUrl: `${issuer}/keys`,
  claims,
});

const findIssuer: FindIssuer = async (issuer, audiences) => {
  lookups += 1;
  const trusted = [toTrusted(first, "harbor"), toTrusted(second, "forest")];
  return trusted.find((each) => each.issuer === issuer && audiences.includes(each.audience));
};
const verify = (token: string) => verifyJwt(`Bearer ${token}`, findIssuer);

beforeAll(async () => {
  [deployment, first, second, stranger] = await Promise.all([
    startOidcServer("k0"),
    startOidcServer("k1"),
    startOidcServer("k2"),
    startOidcServer("k1"),
  ]);
  const settings = {
    STAGE: "local",
    LOG_LEVEL: "error",
    JWT_ISSUER: deployment.issuer,
    JWT_AUDIENCE: audience,
    JWT_JWKS_URL: `${deployment.issuer}/keys`,
    JWT_JWKS_STALE_SECONDS: "86400",
    JWT_ALGORITHMS: "RS256,ES256,EdDSA",
    JWT_TENANT_CLAIM: "tenant_id",
    JWT_USER_CLAIM: "sub",
    JWT_ROLES_CLAIM: "roles",
    JWT_GROUPS_CLAIM: "",
    TOOL_PRIVATE_RANGES: "127.0.0.0/8",
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
});

afterAll(() => {
  vi.unstubAllEnvs();
  for (const server of [deployment, first, second, stranger]) server.stop();
});

const newKey = async (kid: string) => ({
  ...(await exportJWK((await generateKeyPair("ES256", { extractable: true })).publicKey)),
  kid,
  alg: "ES256",
});

const user = { aud: audience, oid: "ann", sub: "other", name: "Ann", mail: "ann@example.com", app_roles: ["viewer"] };

it.each(foreignUserValues)(
  "token of the user %s has an id of a person that leads back to the claim",
  async (_, oid) => {
    expect(externalIdOfCaller(await verify(await first.sign({ ...user, oid })))).toBe(oid);
  },
);

it("token of a tenant's identity provider identifies a user of this tenant by the claims that the tenant named", async () => {
  expect(await verify(await first.sign({ ...user, groups: ["Support", 1] }))).toEqual({
    kind: "user",
    tenantId: "harbor",
    userId: "ann",
    roles: ["viewer"],
    email: "ann@example.com",
    name: "Ann",
    provider: "jwt",
    expiresAt: expect.any(Number),
    groupNames: ["Support"],
    issuerId: "id-harbor",
  });
  expect(await verify(await second.sign({ ...user, aud: ["x", audience] }))).toMatchObject({ tenantId: "forest" });
  expect(await verify(await first.sign({ ...user, tenant_id: "harbor" }))).toMatchObject({ tenantId: "harbor" });
});

it("token without a key id is verified with each key of the set, such as during a rotation", async () => {
  const rotating = await startOidcServer("old");
  const others = await Promise.all(["next", "encryption"].map(newKey));
  rotating.keys.unshift(...others);
  const find: FindIssuer = async () => toTrusted(rotating, "harbor");
  const verifyRotating = (token: string) => verifyJwt(`Bearer ${token}`, find);
  const header = { kid: undefined as never };
  expect(await verifyRotating(await rotating.sign(user, header))).toMatchObject({ userId: "ann" });
  const { privateKey } = await generateKeyPair("ES256");
  const forged = new SignJWT({ iss: rotating.issuer, exp: Math.floor(Date.now() / 1_000) + 600, ...user });
  const unsigned = await forged.setProtectedHeader({ alg: "ES256" }).sign(privateKey);
  await expect(verifyRotating(unsigned)).rejects.toMatchObject({ code: "unauthorized" });
  const expired = await rotating.sign({ ...user, exp: 1 }, header);
  await expect(verifyRotating(expired)).rejects.toMatchObject({ code: "unauthorized" });
  rotating.stop();
});

it.each([
  ["names the claim as one of another source", { _claim_names: { groups: "src1" }, _claim_sources: { src1: {} } }],
  ["has the mark of an implicit flow", { hasgroups: true }],
  ["has names that are too long", { groups: Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(100, "x")) }],
])("token that leaves the groups of its user out keeps memberships: it %s", async (_, changes) => {
  expect(await verify(await first.sign({ ...user, ...changes }))).not.toHaveProperty("groupNames");
});

it("token of a user without groups has none, so that memberships of earlier tokens end", async () => {
  for (const changes of [{}, { groups: [] }, { _claim_names: { address: "src1" } }, { hasgroups: false }]) {
    expect(await verify(await first.sign({ ...user, ...changes }))).toMatchObject({ groupNames: [] });
  }
});

it("token of the deployment's issuer is verified without a lookup of tenants' identity providers", async () => {
  const before = lookups;
  const token = await deployment.sign({ aud: audience, sub: "ann", tenant_id: "forest", roles: ["admin"] });
  expect(await verify(token)).toMatchObject({ tenantId: "forest", userId: "ann", roles: ["admin"] });
  expect(lookups).toBe(before);
});

it("key set of a tenant's identity provider that is broken is requested once, and further tokens are rejected without a request", async () => {
  const trusted = { ...toTrusted(stranger, "down"), jwksUrl: `${stranger.issuer}/keys?broken` };
  const token = await stranger.sign(user);
  const before = stranger.keyRequests();
  for (let attempt = 0; attempt < 3; attempt++) {
    const failure = verifyJwt(`Bearer ${token}`, async () => trusted);
    await expect(failure).rejects.toMatchObject({ code: "unavailable" });
  }
  expect(stranger.keyRequests() - before).toBe(1);
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString());

/** Changes of the header and of the signature that a forger can make. */
async function toForgeries(token: string): Promise<string[]> {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const resign = (changes: object, keyText: string) => {
    const head = encode({ ...decode(header), ...changes });
    return `${head}.${payload}.${createHmac("sha256", keyText).update(`${head}.${payload}`).digest("base64url")}`;
  };
  const spki = await exportSPKI((await generateKeyPair("ES256", { extractable: true })).publicKey);
  const own = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(own.publicKey);
  const changedHeaders = [
    { alg: "none" },
    { alg: "HS256" },
    { alg: "RS256" },
    { kid: "k2" },
    { kid: "../k1" },
    { kid: "" },
    { jku: "http://127.0.0.1:1/keys", kid: "x" },
    { jwk },
    { typ: "logout+jwt" },
    { crit: ["exp"] },
  ];
  return [
    ...changedHeaders.map((changes) => `${encode({ ...decode(header), ...changes })}.${payload}.${signature}`),
    ...["", spki, JSON.stringify(jwk)].map((keyText) => resign({ alg: "HS256" }, keyText)),
    `${encode({ alg: "none" })}.${payload}.`,
    `${header}.${payload}.`,
    `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    `${header}.${encode({ ...decode(payload), tenant_id: "forest" })}.${signature}`,
    `${header}.${encode({ ...decode(payload), oid: "admin" })}.${signature}`,
    `${header}.${encode({ ...decode(payload), app_roles: ["admin"] })}.${signature}`,
  ];
}

/** Tokens that a provider, or a stranger, signs for what it is not trusted with. */
async function signWrongClaims(): Promise<string[]> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const wrong: readonly (readonly [OidcServer, Record<string, unknown>])[] = [
    // Each provider names the other's issuer, or the deployment's.
    [first, { iss: second.issuer }],
    [second, { iss: first.issuer }],
    [first, { iss: deployment.issuer, tenant_id: "harbor" }],
    [second, { iss: deployment.issuer, tenant_id: "forest" }],
    [deployment, { iss: first.issuer }],
    [stranger, {}],
    [stranger, { iss: first.issuer }],
    [stranger, { iss: `${first.issuer}/` }],
    // A provider signs for another tenant.
    ...["forest", "", 0, false, ["harbor"], { id: "harbor" }, "HARBOR", "harbor "].map(
      (tenant_id) => [first, { tenant_id }] as const,
    ),
    ...["harbor", "harbor#x", "~deployment"].map((tenant_id) => [second, { tenant_id }] as const),
    // Variants of the issuer.
    ...["/", "/x", "?", "#", " "].map((end) => [first, { iss: first.issuer + end }] as const),
    ...[first.issuer.replace("http", "HTTP"), [first.issuer], null, 1, { iss: first.issuer }].map(
      (iss) => [first, { iss }] as const,
    ),
    ...["https://other.example", [], ["x"], null, 1, {}].map((aud) => [first, { aud }] as const),
    ...[nowSeconds - 1, "x", true, 1e300].map((exp) => [first, { exp }] as const),
    [first, { nbf: nowSeconds + 600 }],
    [first, { iat: nowSeconds + 600 }],
    ...["", "swk:01", " ", "a!20b", 1, null, "x".repeat(256)].map((oid) => [first, { oid }] as const),
  ];
  return Promise.all(wrong.map(([server, changes]) => server.sign({ ...user, ...changes })));
}

it("verifyJwt() refuses every one of about 500 forged tokens of tenants' identity providers", async () => {
  const sources = await Promise.all([
    ...[first, second].flatMap((server) => [
      server.sign(user),
      server.sign({ ...user, tenant_id: server === first ? "harbor" : "forest" }),
      server.sign({ ...user, aud: ["x", audience], groups: ["Admins"] }),
    ]),
    deployment.sign({ aud: audience, sub: "ann", tenant_id: "harbor" }),
  ]);
  const forged = (await Promise.all(sources.map(toForgeries))).flat();
  const wrong = await signWrongClaims();
  // A wrong claim stays wrong with a changed header.
  const combined = (await Promise.all(wrong.slice(0, 20).map(toForgeries))).flat();
  const tokens = [...new Set([...forged, ...wrong, ...combined])].filter((token) => !sources.includes(token));
  const accepted: unknown[] = [];
  const others: unknown[] = [];
  for (const token of tokens) {
    await verify(token).then(
      (principal) => accepted.push([decode(token.split(".")[1]), principal]),
      (error) => error.code === "unauthorized" || others.push([token, error]),
    );
  }
  expect(accepted).toEqual([]);
  expect(others).toEqual([]);
  expect(tokens.length).toBeGreaterThan(500);
});
