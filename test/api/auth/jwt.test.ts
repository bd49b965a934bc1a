import { createHmac, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
let elsewhere: Server;

/** Requests to the place that tokens point to with `jku` and `x5u`: nobody must ever go there. */
let lured = 0;

beforeAll(async () => {
  key = await newSigningKey("first");
  provider = await startIdentityProvider([key]);
  service = await startSwitchboard({ env: provider.env });
  elsewhere = createServer((_, response) => {
    lured++;
    response.end("{}");
  }).listen(0, "127.0.0.1");
});

afterAll(async () => {
  await service?.stop();
  await provider?.stop();
  elsewhere?.close();
});

const holder = () => ({ user: `u-${randomUUID()}`, tenant: `t-${randomUUID()}`, roles: ["admin"] });

/** A request with a token, and with what would be an identity in local mode, which must not count. */
async function ask(path: string, authorization: string | undefined, init: RequestInit = {}) {
  const headers = { "x-tenant-id": "spoofed", "x-user-id": "spoofed", ...(authorization && { authorization }) };
  return readResponse(await fetch(service.baseUrl + path, { ...init, headers: { ...headers, ...init.headers } }));
}

const seconds = () => Math.floor(Date.now() / 1_000);

const goodClaims = (): Record<string, unknown> => ({
  iss: provider.issuer,
  aud: provider.audience,
  exp: seconds() + 600,
  iat: seconds(),
  tenant_id: "t1",
  uid: "u1",
  roles: ["admin"],
});

async function signed(
  claims: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
  by: CryptoKey | Uint8Array = key.privateKey,
): Promise<string> {
  const payload = { ...goodClaims(), ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg: "RS256", typ: "JWT", kid: "first", ...header }).sign(by);
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token put together by hand, for what no library signs. */
function handMade(header: unknown, claims: unknown, signature = ""): string {
  return `${encoded(header)}.${encoded(claims)}.${signature}`;
}

describe("tokens of a real identity provider", () => {
  it("say who somebody is, on both kinds of endpoint", async () => {
    const person = holder();
    const authorization = `Bearer ${await provider.token(person)}`;
    const me = await ask("/v1/me", authorization);
    expect(me.body).toMatchObject({
      user_id: person.user,
      tenant_id: person.tenant,
      roles: ["admin"],
      email: `${person.user}@example.com`,
      name: "Test Person",
      auth_provider: "jwt",
    });
    expect(Date.parse(me.body.token_expires_at)).toBeGreaterThan(Date.now());
    const json = { "content-type": "application/json" };
    const { body } = await ask("/v1/conversations", authorization, {
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

  it("take roles as a list or as text", async () => {
    for (const roles of [["viewer", "member"], "viewer member", "viewer, member"]) {
      const { body } = await ask("/v1/me", `Bearer ${await signed({ roles })}`);
      expect(body.roles).toEqual(["viewer", "member"]);
    }
  });

  it("may name roles that can be nobody's, which give nothing", async () => {
    const roles = ["", " ", "\ud800", "\ud801", "x".repeat(2_000), "viewer"];
    const { status, body } = await ask("/v1/rbac/me", `Bearer ${await signed({ roles })}`);
    expect([status, body.permissions]).toEqual([200, ["message.read"]]);
  });

  it("say which claim does not fit, but only once their signature does", async () => {
    const detail = async (token: Promise<string>) => (await ask("/v1/me", `Bearer ${await token}`)).body.detail;
    expect(await detail(signed({ aud: "somebody-else" }))).toContain("claim `aud`");
    expect(await detail(signed({ iss: "https://example.com" }))).toContain("claim `iss`");
    expect(await detail(signed({ exp: undefined }))).toContain("claim `exp`");
    const { privateKey } = await newSigningKey("first");
    expect(await detail(signed({ aud: "somebody-else" }, {}, privateKey))).toBe("The token is invalid.");
  });

  it("may have clocks that run ahead by up to a minute", async () => {
    expect((await ask("/v1/me", `Bearer ${await signed({ iat: seconds() + 50, nbf: seconds() + 50 })}`)).status).toBe(
      200,
    );
  });
});

/** Tokens that must not open anything: a name, and how each is made. */
const hostile: Record<string, () => Promise<string | undefined> | string | undefined> = {
  nothing: () => undefined,
  "an empty header": () => "",
  "only the scheme": () => "Bearer",
  "the scheme and a space": () => "Bearer ",
  "another scheme": () => `Basic ${Buffer.from("a:b").toString("base64")}`,
  "a token without a scheme": () => signed(),
  "two tokens": async () => `Bearer ${await signed()}, Bearer ${await signed()}`,
  "two tokens in one": async () => `Bearer ${await signed()} ${await signed()}`,
  "a text": () => "Bearer hello",
  "one part": () => "Bearer eyJhbGciOiJSUzI1NiJ9",
  "two parts": async () => `Bearer ${(await signed()).split(".").slice(0, 2).join(".")}`,
  "four parts": async () => `Bearer ${await signed()}.x`,
  "five parts, as an encrypted token has": async () => `Bearer ${await signed()}.x.y`,
  "an empty signature": async () => `Bearer ${(await signed()).split(".").slice(0, 2).join(".")}.`,
  "dots only": () => "Bearer ...",
  "an API key": () => `Bearer swk_abcdefgh_${"0".repeat(32)}`,
  "an embed key": () => `Bearer swe_abcdefgh_${"0".repeat(32)}`,
  "8 KB of rubbish": () => `Bearer ${"A".repeat(8_000)}`,
  "8 KB of claims, signed by somebody else": async () =>
    `Bearer ${await signed({ filler: "x".repeat(5_900) }, {}, (await newSigningKey("first")).privateKey)}`,
};

const bearer = (name: string, make: () => Promise<string> | string) => {
  hostile[name] = async () => `Bearer ${await make()}`;
};

for (const alg of ["none", "None", "NONE", "nOnE", ""]) {
  bearer(`algorithm ${JSON.stringify(alg)}`, () => handMade({ alg, typ: "JWT" }, goodClaims()));
  bearer(`algorithm ${JSON.stringify(alg)} with a key id`, () => handMade({ alg, kid: "first" }, goodClaims(), "AAAA"));
}
for (const alg of ["HS256", "HS384", "HS512"] as const) {
  bearer(`${alg} keyed with the public key`, async () => {
    const text = `${encoded({ alg, typ: "JWT", kid: "first" })}.${encoded(goodClaims())}`;
    const secret = await exportSPKI(key.publicKey);
    return `${text}.${createHmac(alg.replace("HS", "sha"), secret).update(text).digest("base64url")}`;
  });
  bearer(`${alg} keyed with the public key as JWK`, async () => {
    const text = `${encoded({ alg, typ: "JWT", kid: "first" })}.${encoded(goodClaims())}`;
    const secret = JSON.stringify(await exportJWK(key.publicKey));
    return `${text}.${createHmac(alg.replace("HS", "sha"), secret).update(text).digest("base64url")}`;
  });
  bearer(`${alg} with an empty key`, () => {
    const text = `${encoded({ alg, typ: "JWT" })}.${encoded(goodClaims())}`;
    return `${text}.${createHmac(alg.replace("HS", "sha"), "").update(text).digest("base64url")}`;
  });
}
for (const alg of ["RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA", "RSA-OAEP", "dir"]) {
  bearer(`claims to be ${alg}, signed as RS256`, async () => {
    const [, claims, signature] = (await signed()).split(".");
    return `${encoded({ alg, typ: "JWT", kid: "first" })}.${claims}.${signature}`;
  });
}
for (const [name, curve] of [
  ["ES256", "P-256"],
  ["EdDSA", "Ed25519"],
  ["RS256", ""],
] as const) {
  bearer(`a key of its own (${name}) under the known id`, async () => {
    const { privateKey } = await generateKeyPair(name, { crv: curve });
    return signed({}, { alg: name }, privateKey);
  });
  bearer(`an embedded key (${name})`, async () => {
    const { privateKey, publicKey } = await generateKeyPair(name, { crv: curve });
    return signed({}, { alg: name, jwk: await exportJWK(publicKey) }, privateKey);
  });
  bearer(`an unknown key id (${name})`, async () => {
    const { privateKey } = await generateKeyPair(name, { crv: curve });
    return signed({}, { alg: name, kid: randomUUID() }, privateKey);
  });
}
for (const parameter of ["jku", "x5u"] as const) {
  bearer(`keys to be fetched from elsewhere (${parameter})`, async () => {
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/keys`;
    return signed({}, { [parameter]: url, kid: randomUUID() }, (await newSigningKey("theirs")).privateKey);
  });
}
for (const kid of ["", "../../dev/null", "' OR 1=1 --", "first\u0000", "FIRST", "x".repeat(2_000)]) {
  bearer(`key id ${JSON.stringify(kid.slice(0, 20))}`, async () =>
    signed({}, { kid }, (await newSigningKey("x")).privateKey),
  );
}
for (const crit of [["exp"], ["b64"], ["unknown"], []]) {
  bearer(`crit ${JSON.stringify(crit)}`, async () => {
    const [, claims, signature] = (await signed()).split(".");
    return `${encoded({ alg: "RS256", kid: "first", crit, b64: true, unknown: 1 })}.${claims}.${signature}`;
  });
}
for (const [name, claims] of Object.entries<Record<string, unknown>>({
  "expired a second ago": { exp: -1 },
  "expires now": { exp: 0 },
  "expired a year ago": { exp: -31_536_000 },
  "not valid before two minutes from now": { nbf: 120 },
  "issued in two minutes": { iat: 120 },
})) {
  bearer(name, () => {
    const moments = Object.entries(claims).map(([claim, offset]) => [claim, seconds() + Number(offset)]);
    return signed(Object.fromEntries(moments));
  });
}
for (const [name, claims] of Object.entries<Record<string, unknown>>({
  "no expiry": { exp: undefined },
  "expiry as text": { exp: "never" },
  "another issuer": { iss: "https://evil.example.com" },
  "an issuer with a slash more": { iss: "$issuer/" },
  "no issuer": { iss: undefined },
  "another audience": { aud: "somebody-else" },
  "no audience": { aud: undefined },
  "an empty audience list": { aud: [] },
  "no tenant": { tenant_id: undefined },
  "an empty tenant": { tenant_id: "" },
  "a tenant as a list": { tenant_id: ["t1"] },
  "a tenant as a number": { tenant_id: 1 },
  "a tenant with the separator": { tenant_id: "t1#user" },
  "a tenant that is no tenant": { tenant_id: "~credential" },
  "a tenant of 129 characters": { tenant_id: "t".repeat(129) },
  "no user": { uid: undefined },
  "a user with a slash": { uid: "../admin" },
  "a user with a line break": { uid: "u1\n" },
})) {
  bearer(name, () => signed(claims.iss === "$issuer/" ? { iss: `${provider.issuer}/` } : claims));
}
for (const typ of ["logout+jwt", "dpop+jwt", "secevent+jwt", "JOSE"]) bearer(`type ${typ}`, () => signed({}, { typ }));
for (const part of [0, 1, 2]) {
  bearer(`part ${part} changed by one character`, async () => {
    const parts = (await signed()).split(".");
    const text = parts[part] ?? "";
    parts[part] = text.slice(0, 10) + (text[10] === "A" ? "B" : "A") + text.slice(11);
    return parts.join(".");
  });
}
bearer("claims exchanged", async () => {
  const [header, , signature] = (await signed()).split(".");
  return `${header}.${encoded({ ...goodClaims(), tenant_id: "t2" })}.${signature}`;
});
bearer("padding added", async () => `${await signed()}==`);
bearer("claims that are a list", () => handMade({ alg: "RS256", kid: "first" }, [1], "AAAA"));

describe("hostile tokens", () => {
  it("are many", () => {
    expect(Object.keys(hostile).length).toBeGreaterThanOrEqual(80);
  });

  it.each(Object.entries(hostile))("%s", async (_, make) => {
    const authorization = await make();
    for (const [path, init] of [
      ["/v1/me", {}],
      ["/v1/runtime/chat", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }],
    ] as const) {
      const answer = await ask(path, authorization, init);
      expect([answer.status, answer.body?.code]).toEqual([401, "unauthorized"]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.headers.get("x-ratelimit-limit")).toBe("0");
      expect(answer.body.request_id).toBe(answer.headers.get("x-request-id"));
    }
    expect(lured).toBe(0);
  });
});

describe("keys that change", () => {
  it("follows a rotation, and keeps calm in an outage", { timeout: 60_000 }, async () => {
    const person = holder();
    const before = await provider.token(person);
    expect((await ask("/v1/me", `Bearer ${before}`)).status).toBe(200);
    const next = await newSigningKey("second");
    provider.rotate([next, key]);
    // The key set was fetched a moment ago; it is not fetched again for an unknown key id before five seconds are over.
    await sleep(6_000);
    const after = await provider.token(person);
    expect((await ask("/v1/me", `Bearer ${after}`)).status).toBe(200);
    expect((await ask("/v1/me", `Bearer ${before}`)).status).toBe(200);

    await sleep(6_000);
    provider.pause();
    expect((await ask("/v1/me", `Bearer ${await signed({ uid: "known-key" })}`)).status).toBe(200);
    const third = await newSigningKey("third");
    const unknown = await signed({}, { kid: "third" }, third.privateKey);
    const refused = await ask("/v1/me", `Bearer ${unknown}`);
    expect([refused.status, refused.body.code]).toEqual([503, "unavailable"]);
    const chat = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const streamed = await ask("/v1/runtime/chat", `Bearer ${unknown}`, chat);
    expect([streamed.status, streamed.body.code]).toEqual([503, "unavailable"]);
    provider.resume();
    expect((await ask("/v1/me", `Bearer ${unknown}`)).status).toBe(401);
  });

  it("ends with the token, also where the gateway remembers it", { timeout: 30_000 }, async () => {
    const exp = seconds() + 6;
    const token = `Bearer ${await signed({ exp })}`;
    expect((await ask("/v1/me", token)).status).toBe(200);
    await sleep(Math.max(0, exp * 1_000 - Date.now()) + 100);
    expect((await ask("/v1/me", token)).status).toBe(401);
  });
});
