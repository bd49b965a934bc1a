import { createLocalJWKSet, decodeJwt, type JWK, jwtVerify } from "jose";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import type { AppSecrets } from "#shared/auth/accepted-secrets.ts";
import type { Caller } from "#shared/tools/caller-context.ts";

const secrets = vi.hoisted(() => ({ value: { current: "", recent: [], all: [] } as AppSecrets }));
vi.mock("#shared/auth/app-secret.ts", () => ({ loadAppSecrets: async () => secrets.value }));

const { CALLER_HEADER, listCallerKeys, signCaller } = await import("#shared/tools/caller-context.ts");
const { deriveEs256Key } = await import("#shared/auth/signing-key.ts");

const useSecrets = (current: string, recent: readonly string[]) => {
  secrets.value = { current, recent, all: recent };
};
const caller_context = { issuer: "https://chat.example", audience: "https://orders.example/mcp" };
const caller: Caller = {
  ...{
    sub: "ada",
    kind: "user" as const,
    act: null,
    email: "ada@example.com",
    visitor_sub: null,
    form: null,
    groups: ["Sales"],
  },
  ...{ conversation_id: "c", persona_id: "p", run_id: "r", call_id: "call", approval_id: null },
};

/** Signs a context, and returns it with the function that verifies it with the current keys. */
async function sign() {
  const { [CALLER_HEADER]: token = "" } = await signCaller({ tenantId: "acme" }, { caller_context }, "refund", caller);
  const expected = { issuer: caller_context.issuer, audience: caller_context.audience };
  const verify = async (options: object = {}) => {
    const keys = createLocalJWKSet({ keys: (await listCallerKeys()) as JWK[] });
    return jwtVerify(token, keys, { ...expected, algorithms: ["ES256"], ...options });
  };
  return { token, verify };
}

beforeEach(() => useSecrets("b", ["b", "a"]));
afterAll(() => vi.useRealTimers());

it("signed context names tenant, caller, place and call, and is valid for a minute and for its server", async () => {
  const { verify } = await sign();
  const { payload, protectedHeader } = await verify();
  const { iat = 0, exp = 0, ...claims } = payload;
  expect(exp - iat).toBe(60);
  expect(protectedHeader).toMatchObject({ alg: "ES256", typ: "JWT" });
  expect(claims).toEqual({
    ...{ iss: caller_context.issuer, aud: caller_context.audience, sub: "ada", jti: "call" },
    ...{ tenant_id: "acme", tool: "refund", kind: "user", act: null, email: "ada@example.com", groups: ["Sales"] },
    ...{ visitor_sub: null, form: null },
    ...{ conversation_id: "c", persona_id: "p", run_id: "r", call_id: "call", approval_id: null },
  });
  const later = new Date(Date.now() + 61_000);
  await expect(verify({ currentDate: later })).rejects.toMatchObject({ code: "ERR_JWT_EXPIRED" });
  await expect(verify({ audience: "https://other.example/mcp" })).rejects.toMatchObject({ claim: "aud" });
  await expect(verify({ issuer: "https://other.example" })).rejects.toMatchObject({ claim: "iss" });
});

it("signed context is sent only to servers that ask for it", async () => {
  expect(await signCaller({ tenantId: "acme" }, { caller_context: null }, "refund", caller)).toEqual({});
});

it("keys of contexts follow a rotation of the app secret: the next one is known before it signs, the previous one after", async () => {
  useSecrets("a", ["a"]);
  const first = await sign();
  useSecrets("a", ["b", "a"]);
  const before = await sign();
  expect(await listCallerKeys()).toHaveLength(2);
  useSecrets("b", ["b", "a"]);
  const after = await sign();
  for (const { verify } of [first, before, after]) expect((await verify()).payload.sub).toBe("ada");
  useSecrets("c", ["c", "b"]);
  await expect(first.verify()).rejects.toMatchObject({ code: "ERR_JWKS_NO_MATCHING_KEY" });
  expect((await after.verify()).payload.sub).toBe("ada");
});

it("keys of contexts differ by secret and purpose, are valid points, and contain nothing private", async () => {
  const keys = await Promise.all(
    Array.from({ length: 50 }, (_, index) => deriveEs256Key(`secret ${index}`, index % 2 === 0 ? "x" : "y")),
  );
  expect(new Set(keys.map(({ jwk }) => jwk.kid)).size).toBe(50);
  expect((await deriveEs256Key("secret 0", "y")).jwk.kid).not.toBe(keys[0]?.jwk.kid);
  expect((await deriveEs256Key("secret 0", "x")).jwk).toEqual(keys[0]?.jwk);
  for (const { jwk } of keys) expect(Object.keys(jwk).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  const { token } = await sign();
  expect(decodeJwt(token).sub).toBe("ada");
});
