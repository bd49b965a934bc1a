import { createHmac, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readFrames, readResponse } from "#test/support/client.ts";
import {
  type IdentityProvider,
  newSigningKey,
  type SigningKey,
  startIdentityProvider,
} from "#test/support/identity-provider.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";

let provider: IdentityProvider;
let service: Switchboard;
let key: SigningKey;
let foreignServer: Server;

/** Number of requests to the server that forged tokens name in `jku` and `x5u`; must stay 0. */
let foreignKeyRequests = 0;

beforeAll(async () => {
  key = await newSigningKey("first");
  provider = await startIdentityProvider([key]);
  service = await startSwitchboard({ env: provider.env });
  foreignServer = createServer((_, response) => {
    foreignKeyRequests++;
    response.end("{}");
  }).listen(0, "127.0.0.1");
});

afterAll(async () => {
  await service?.stop();
  await provider?.stop();
  foreignServer?.close();
});

const newTokenHolder = () => ({ user: `u-${randomUUID()}`, tenant: `t-${randomUUID()}`, roles: ["admin"] });

/** Sends a request with a token and with local-mode identity headers, which must be ignored. */
async function send(path: string, authorization: string | undefined, init: RequestInit = {}) {
  const headers = { "x-tenant-id": "spoofed", "x-user-id": "spoofed", ...(authorization && { authorization }) };
  return readResponse(await fetch(service.baseUrl + path, { ...init, headers: { ...headers, ...init.headers } }));
}

const nowSeconds = () => Math.floor(Date.now() / 1_000);

const validClaims = (): Record<string, unknown> => ({
  iss: provider.issuer,
  aud: provider.audience,
  exp: nowSeconds() + 600,
  iat: nowSeconds(),
  tenant_id: "t1",
  uid: "u1",
  roles: ["admin"],
});

async function signToken(
  claims: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
  signingKey: CryptoKey | Uint8Array = key.privateKey,
): Promise<string> {
  const payload = { ...validClaims(), ...claims };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: "first", ...header })
    .sign(signingKey);
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Assembles a token with any header, claims and signature, including those that JWT libraries refuse to create. */
function assembleToken(header: unknown, claims: unknown, signature = ""): string {
  return `${encode(header)}.${encode(claims)}.${signature}`;
}

it("JWT of an identity provider identifies the user on REST and streaming endpoints", async () => {
  const holder = newTokenHolder();
  const authorization = `Bearer ${await provider.token(holder)}`;
  const me = await send("/v1/me", authorization);
  expect(me.body).toMatchObject({
    user_id: holder.user,
    tenant_id: holder.tenant,
    roles: ["admin"],
    email: `${holder.user}@example.com`,
    name: "Test Person",
    auth_provider: "jwt",
  });
  expect(Date.parse(me.body.token_expires_at)).toBeGreaterThan(Date.now());
  const json = { "content-type": "application/json" };
  const { body } = await send("/v1/conversations", authorization, {
    method: "POST",
    body: '{"title":"x"}',
    headers: json,
  });
  const chat = await fetch(`${service.baseUrl}/v1/runtime/chat`, {
    method: "POST",
    headers: { ...json, authorization },
    body: JSON.stringify({ conversation_id: body.id, content: "Hi" }),
  });
  expect((await Array.fromAsync(readFrames(chat))).at(-1)?.event).toBe("done");
});

it("JWT of an identity provider may list its roles as a JSON array or as text", async () => {
  for (const roles of [["viewer", "member"], "viewer member", "viewer, member"]) {
    const { body } = await send("/v1/me", `Bearer ${await signToken({ roles })}`);
    expect(body.roles).toEqual(["viewer", "member"]);
  }
});

it("JWT of an identity provider grants no permissions for a role with an invalid name", async () => {
  const roles = ["", " ", "\ud800", "\ud801", "x".repeat(2_000), "viewer"];
  const { status, body } = await send("/v1/rbac/me", `Bearer ${await signToken({ roles })}`);
  expect([status, body.permissions]).toEqual([200, ["message.read"]]);
});

it("JWT of an identity provider is rejected with 401 for an out-of-range expiry, an invalid type or a non-canonical signature encoding", async () => {
  const status = async (token: string) => (await send("/v1/me", `Bearer ${token}`)).status;
  for (const exp of [2 ** 53, 1e308]) expect(await status(await signToken({ exp }))).toBe(401);
  for (const typ of [0, {}, []]) {
    expect(await status(await signToken({}, { typ } as unknown as JWTHeaderParameters))).toBe(401);
  }
  const token = await signToken();
  expect(await status(token)).toBe(200);
  // An RS256 signature has 256 bytes, so four bits of its last character carry no information.
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(token.at(-1) ?? "");
  expect(await status(`${token.slice(0, -1)}${alphabet[last + 1]}`)).toBe(401);
});

it("JWT of an identity provider is rejected with an error that names the invalid claim, but only if the signature is valid", async () => {
  const detail = async (token: Promise<string>) => (await send("/v1/me", `Bearer ${await token}`)).body.detail;
  expect(await detail(signToken({ aud: "other-audience" }))).toContain("claim `aud`");
  expect(await detail(signToken({ iss: "https://example.com" }))).toContain("claim `iss`");
  expect(await detail(signToken({ exp: undefined }))).toContain("claim `exp`");
  const { privateKey } = await newSigningKey("first");
  expect(await detail(signToken({ aud: "other-audience" }, {}, privateKey))).toBe("The token is invalid.");
});

it("JWT of an identity provider is accepted when the clock of its issuer is 50 seconds ahead", async () => {
  expect(
    (await send("/v1/me", `Bearer ${await signToken({ iat: nowSeconds() + 50, nbf: nowSeconds() + 50 })}`)).status,
  ).toBe(200);
});

/** Factories of `Authorization` headers that must be rejected, by name. */
const hostileHeaders: Record<string, () => Promise<string | undefined> | string | undefined> = {
  nothing: () => undefined,
  "an empty header": () => "",
  "only the scheme": () => "Bearer",
  "the scheme and a space": () => "Bearer ",
  "another scheme": () => `Basic ${Buffer.from("a:b").toString("base64")}`,
  "a token without a scheme": () => signToken(),
  "two tokens": async () => `Bearer ${await signToken()}, Bearer ${await signToken()}`,
  "two tokens in one": async () => `Bearer ${await signToken()} ${await signToken()}`,
  "a text": () => "Bearer hello",
  "one part": () => "Bearer eyJhbGciOiJSUzI1NiJ9",
  "two parts": async () => `Bearer ${(await signToken()).split(".").slice(0, 2).join(".")}`,
  "four parts": async () => `Bearer ${await signToken()}.x`,
  "five parts, as an encrypted token has": async () => `Bearer ${await signToken()}.x.y`,
  "an empty signature": async () => `Bearer ${(await signToken()).split(".").slice(0, 2).join(".")}.`,
  "dots only": () => "Bearer ...",
  "an API key": () => `Bearer swk_abcdefgh_${"0".repeat(32)}`,
  "an embed key": () => `Bearer swe_abcdefgh_${"0".repeat(32)}`,
  "8 KB of noise": () => `Bearer ${"A".repeat(8_000)}`,
  "8 KB of claims with a foreign signature": async () =>
    `Bearer ${await signToken({ filler: "x".repeat(5_900) }, {}, (await newSigningKey("first")).privateKey)}`,
};

const addBearer = (name: string, make: () => Promise<string> | string) => {
  hostileHeaders[name] = async () => `Bearer ${await make()}`;
};

for (const alg of ["none", "None", "NONE", "nOnE", ""]) {
  addBearer(`algorithm ${JSON.stringify(alg)}`, () => assembleToken({ alg, typ: "JWT" }, validClaims()));
  addBearer(`algorithm ${JSON.stringify(alg)} with a key id`, () =>
    assembleToken({ alg, kid: "first" }, validClaims(), "AAAA"),
  );
}
for (const alg of ["HS256", "HS384", "HS512"] as const) {
  addBearer(`${alg} keyed with the public key`, async () => {
    const text = `${encode({ alg, typ: "JWT", kid: "first" })}.${encode(validClaims())}`;
    const secret = await exportSPKI(key.publicKey);
    return `${text}.${createHmac(alg.replace("HS", "sha"), secret).update(text).digest("base64url")}`;
  });
  addBearer(`${alg} keyed with the public key as JWK`, async () => {
    const text = `${encode({ alg, typ: "JWT", kid: "first" })}.${encode(validClaims())}`;
    const secret = JSON.stringify(await exportJWK(key.publicKey));
    return `${text}.${createHmac(alg.replace("HS", "sha"), secret).update(text).digest("base64url")}`;
  });
  addBearer(`${alg} with an empty key`, () => {
    const text = `${encode({ alg, typ: "JWT" })}.${encode(validClaims())}`;
    return `${text}.${createHmac(alg.replace("HS", "sha"), "").update(text).digest("base64url")}`;
  });
}
for (const alg of ["RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA", "RSA-OAEP", "dir"]) {
  addBearer(`claims to be ${alg}, signed as RS256`, async () => {
    const [, claims, signature] = (await signToken()).split(".");
    return `${encode({ alg, typ: "JWT", kid: "first" })}.${claims}.${signature}`;
  });
}
for (const [name, curve] of [
  ["ES256", "P-256"],
  ["EdDSA", "Ed25519"],
  ["RS256", ""],
] as const) {
  addBearer(`a foreign key (${name}) under the known id`, async () => {
    const { privateKey } = await generateKeyPair(name, { crv: curve });
    return signToken({}, { alg: name }, privateKey);
  });
  addBearer(`an embedded key (${name})`, async () => {
    const { privateKey, publicKey } = await generateKeyPair(name, { crv: curve });
    return signToken({}, { alg: name, jwk: await exportJWK(publicKey) }, privateKey);
  });
  addBearer(`an unknown key id (${name})`, async () => {
    const { privateKey } = await generateKeyPair(name, { crv: curve });
    return signToken({}, { alg: name, kid: randomUUID() }, privateKey);
  });
}
for (const parameter of ["jku", "x5u"] as const) {
  addBearer(`keys to be fetched from a foreign server (${parameter})`, async () => {
    const url = `http://127.0.0.1:${(foreignServer.address() as AddressInfo).port}/keys`;
    return signToken({}, { [parameter]: url, kid: randomUUID() }, (await newSigningKey("theirs")).privateKey);
  });
}
for (const kid of ["", "../../dev/null", "' OR 1=1 --", "first\u0000", "FIRST", "x".repeat(2_000)]) {
  addBearer(`key id ${JSON.stringify(kid.slice(0, 20))}`, async () =>
    signToken({}, { kid }, (await newSigningKey("x")).privateKey),
  );
}
for (const crit of [["exp"], ["b64"], ["unknown"], []]) {
  addBearer(`crit ${JSON.stringify(crit)}`, async () => {
    const [, claims, signature] = (await signToken()).split(".");
    return `${encode({ alg: "RS256", kid: "first", crit, b64: true, unknown: 1 })}.${claims}.${signature}`;
  });
}
for (const [name, claims] of Object.entries<Record<string, unknown>>({
  "expired a second ago": { exp: -1 },
  "expires now": { exp: 0 },
  "expired a year ago": { exp: -31_536_000 },
  "not valid before two minutes from now": { nbf: 120 },
  "issued in two minutes": { iat: 120 },
})) {
  addBearer(name, () => {
    const moments = Object.entries(claims).map(([claim, offset]) => [claim, nowSeconds() + Number(offset)]);
    return signToken(Object.fromEntries(moments));
  });
}
for (const [name, claims] of Object.entries<Record<string, unknown>>({
  "no expiry": { exp: undefined },
  "expiry as text": { exp: "never" },
  "expiry after the last date": { exp: 8_640_000_000_001 },
  "another issuer": { iss: "https://evil.example.com" },
  "an issuer with a trailing slash": { iss: "$issuer/" },
  "no issuer": { iss: undefined },
  "another audience": { aud: "other-audience" },
  "no audience": { aud: undefined },
  "an empty audience list": { aud: [] },
  "no tenant": { tenant_id: undefined },
  "an empty tenant": { tenant_id: "" },
  "a tenant as a list": { tenant_id: ["t1"] },
  "a tenant as a number": { tenant_id: 1 },
  "a tenant with the separator": { tenant_id: "t1#user" },
  "a reserved tenant id": { tenant_id: "~credential" },
  "a tenant of 129 characters": { tenant_id: "t".repeat(129) },
  "no user": { uid: undefined },
  "a user like an escaped id": { uid: "..!2Fadmin" },
  "a user with a line break": { uid: "u1\n" },
})) {
  addBearer(name, () => signToken(claims.iss === "$issuer/" ? { iss: `${provider.issuer}/` } : claims));
}
for (const typ of ["logout+jwt", "dpop+jwt", "secevent+jwt", "JOSE"])
  addBearer(`type ${typ}`, () => signToken({}, { typ }));
for (const part of [0, 1, 2]) {
  addBearer(`part ${part} changed by one character`, async () => {
    const parts = (await signToken()).split(".");
    const text = parts[part] ?? "";
    parts[part] = text.slice(0, 10) + (text[10] === "A" ? "B" : "A") + text.slice(11);
    return parts.join(".");
  });
}
addBearer("replaced claims", async () => {
  const [header, , signature] = (await signToken()).split(".");
  return `${header}.${encode({ ...validClaims(), tenant_id: "t2" })}.${signature}`;
});
addBearer("added padding", async () => `${await signToken()}==`);
addBearer("claims that are a list", () => assembleToken({ alg: "RS256", kid: "first" }, [1], "AAAA"));

it("malformed or forged authorization header is tested in at least 80 different forms", () => {
  expect(Object.keys(hostileHeaders).length).toBeGreaterThanOrEqual(80);
});

const post = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };

it.each(Object.entries(hostileHeaders))(
  "malformed or forged authorization header is answered with 401: %s",
  async (_, make) => {
    const authorization = await make();
    for (const [path, init, challenge] of [
      ["/v1/me", {}, /^Bearer$/],
      ["/v1/runtime/chat", post, /^Bearer$/],
      ["/mcp", post, /^Bearer resource_metadata="http.+\/\.well-known\/oauth-protected-resource\/mcp"$/],
    ] as const) {
      const response = await send(path, authorization, init);
      expect([response.status, response.body?.code]).toEqual([401, "unauthorized"]);
      expect(response.headers.get("www-authenticate")).toMatch(challenge);
      expect(response.headers.get("x-ratelimit-limit")).toBe("0");
      expect(response.body.request_id).toBe(response.headers.get("x-request-id"));
    }
    expect(foreignKeyRequests).toBe(0);
  },
);

it("verification of JWTs on the API accepts a new signing key after a rotation, and returns 503 for an unknown key while the identity provider is down", async () => {
  const holder = newTokenHolder();
  const before = await provider.token(holder);
  expect((await send("/v1/me", `Bearer ${before}`)).status).toBe(200);
  const next = await newSigningKey("second");
  provider.rotate([next, key]);
  // The key set is refetched for an unknown key id after a cooldown of five seconds.
  await sleep(6_000);
  const after = await provider.token(holder);
  expect((await send("/v1/me", `Bearer ${after}`)).status).toBe(200);
  expect((await send("/v1/me", `Bearer ${before}`)).status).toBe(200);

  await sleep(6_000);
  provider.pause();
  expect((await send("/v1/me", `Bearer ${await signToken({ uid: "known-key" })}`)).status).toBe(200);
  const third = await newSigningKey("third");
  const unknown = await signToken({}, { kid: "third" }, third.privateKey);
  const rejectedResponse = await send("/v1/me", `Bearer ${unknown}`);
  expect([rejectedResponse.status, rejectedResponse.body.code]).toEqual([503, "unavailable"]);
  const chat = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const chatResponse = await send("/v1/runtime/chat", `Bearer ${unknown}`, chat);
  expect([chatResponse.status, chatResponse.body.code]).toEqual([503, "unavailable"]);
  provider.resume();
  // The key set is not fetched for five seconds after a failure.
  await expect.poll(async () => (await send("/v1/me", `Bearer ${unknown}`)).status).toBe(401);
});

it("verification of JWTs on the API returns 401 for a token that has expired although API Gateway has cached its authorization", async () => {
  const exp = nowSeconds() + 6;
  const token = `Bearer ${await signToken({ exp })}`;
  expect((await send("/v1/me", token)).status).toBe(200);
  await sleep(Math.max(0, exp * 1_000 - Date.now()) + 100);
  expect((await send("/v1/me", token)).status).toBe(401);
});
