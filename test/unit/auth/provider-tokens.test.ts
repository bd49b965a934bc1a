import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verifyJwt } from "#shared/auth/jwt.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";
import { newSigningKey, type SigningKey } from "#test/support/identity-provider.ts";

/** Access token of a provider, in the shape that its documentation describes, and the settings that the guide names for it. */
interface ProviderToken {
  readonly header: { readonly typ?: string };
  readonly claims: JWTPayload;
  readonly settings: Readonly<Record<string, string>>;
}

const tenant = "6f2a7c1e-0000-4000-8000-00000000000a";

const tokens: Readonly<Record<string, ProviderToken>> = {
  Cognito: {
    header: {},
    claims: {
      iss: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab12",
      aud: "https://assistant.example.com",
      sub: "ada",
      client_id: "7k2example",
      token_use: "access",
      scope: "openid profile email",
      username: "ada",
      version: 2,
      "cognito:groups": ["admin"],
      tenant_id: tenant,
    },
    settings: { JWT_ROLES_CLAIM: "cognito:groups" },
  },
  "Entra ID": {
    header: { typ: "JWT" },
    claims: {
      iss: `https://login.microsoftonline.com/${tenant}/v2.0`,
      aud: "0d9c1b2a-0000-4000-8000-00000000000b",
      sub: "pairwise",
      oid: "ada",
      tid: tenant,
      azp: "1a2b3c4d-0000-4000-8000-00000000000c",
      scp: "access",
      roles: ["admin"],
      ver: "2.0",
    },
    settings: { JWT_TENANT_CLAIM: "tid", JWT_USER_CLAIM: "oid" },
  },
  Auth0: {
    header: { typ: "at+jwt" },
    claims: {
      iss: "https://harbor.eu.auth0.com/",
      aud: ["https://assistant.example.com", "https://harbor.eu.auth0.com/userinfo"],
      sub: "ada",
      client_id: "9example",
      scope: "openid profile email",
      "https://assistant.example.com/tenant_id": tenant,
      "https://assistant.example.com/roles": ["admin"],
    },
    settings: {
      JWT_TENANT_CLAIM: "https://assistant.example.com/tenant_id",
      JWT_ROLES_CLAIM: "https://assistant.example.com/roles",
    },
  },
  Okta: {
    header: {},
    claims: {
      iss: "https://harbor.okta.com/oauth2/default",
      aud: "api://switchboard",
      sub: "ada@example.com",
      uid: "ada",
      cid: "0oaexample",
      scp: ["openid", "profile"],
      ver: 1,
      tenant_id: tenant,
      roles: ["admin"],
    },
    settings: { JWT_USER_CLAIM: "uid" },
  },
  Keycloak: {
    header: { typ: "JWT" },
    claims: {
      iss: "https://login.example.com/realms/harbor",
      aud: ["switchboard", "account"],
      sub: "ada",
      typ: "Bearer",
      azp: "switchboard-console",
      realm_access: { roles: ["admin", "offline_access"] },
      tenant_id: tenant,
      roles: ["admin"],
    },
    settings: {},
  },
};

let key: SigningKey;
let server: Server;

beforeAll(async () => {
  key = await newSigningKey("k1");
  const keys = [{ ...(await exportJWK(key.publicKey)), kid: "k1", alg: "RS256", use: "sig" }];
  server = createServer((_, response) => response.end(JSON.stringify({ keys })));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => server?.close());

const guide = readFileSync("docs/guides/deployment.md", "utf8");

/** Verifies the token of a provider with the settings of the guide, except some that a test leaves out. */
async function verify({ header, claims, settings }: ProviderToken) {
  const { port } = server.address() as AddressInfo;
  const now = Math.floor(Date.now() / 1_000);
  setFunctionEnvironment({
    AUTH_PROVIDER: "jwt",
    JWT_ISSUER: String(claims.iss),
    JWT_AUDIENCE: String([claims.aud].flat()[0]),
    JWT_JWKS_URL: `http://127.0.0.1:${port}/keys`,
    ...settings,
  });
  const token = await new SignJWT({ ...claims, iat: now, exp: now + 600 })
    .setProtectedHeader({ alg: "RS256", kid: "k1", ...header })
    .sign(key.privateKey);
  return verifyJwt(`Bearer ${token}`, async () => undefined);
}

it.each(Object.entries(tokens))(
  "access token of %s is accepted with the settings of the guide",
  async (name, token) => {
    expect(await verify(token)).toMatchObject({ kind: "user", tenantId: tenant, userId: "ada", roles: ["admin"] });
    const section = new RegExp(`^### ${name}$.*?^##`, "ms").exec(guide)?.[0] ?? "";
    for (const [setting, claim] of Object.entries(token.settings)) expect(section).toContain(`${setting}=${claim}`);
    // Every claim that the service reads is named, unless it is a standard one.
    const read = { JWT_TENANT_CLAIM: "tenant_id", JWT_ROLES_CLAIM: "roles", ...token.settings };
    for (const claim of Object.values(read)) expect(section).toContain(claim);
  },
);

it.each([
  ["Cognito", { roles: [] }],
  ["Okta", { userId: expect.not.stringMatching(/^ada$/) }],
])("access token of %s without the settings of the guide names another user or role", async (name, differences) => {
  expect(await verify({ ...(tokens[name] as ProviderToken), settings: {} })).toMatchObject(differences);
});

it.each(["Entra ID", "Auth0"])("access token of %s is rejected without the settings of the guide", async (name) => {
  const plain = { ...(tokens[name] as ProviderToken), settings: {} };
  await expect(verify(plain)).rejects.toThrow("no valid tenant or user claim");
});
