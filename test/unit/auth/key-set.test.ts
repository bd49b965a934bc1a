import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { isKeySetOutage, remoteKeySet } from "#shared/auth/key-set.ts";

let server: Server;
let url: string;
let body = "";
let fetches = 0;
let token: string;

beforeAll(async () => {
  vi.stubEnv("STAGE", "local");
  vi.stubEnv("LOG_LEVEL", "error");
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" };
  body = JSON.stringify({ keys: [jwk] });
  token = await new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: "k1" }).sign(privateKey);
  server = createServer((_, response) => {
    fetches++;
    response.end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
});

afterAll(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  server.close();
});

it("remoteKeySet(), which fetches a key set (JWKS), ignores malformed keys: tokens with other keys are valid, and a token with such a key is invalid", async () => {
  const valid = body;
  const [jwk] = JSON.parse(body).keys as [JWK];
  const rsa = await exportJWK((await generateKeyPair("RS256", { extractable: true })).privateKey);
  const small = generateKeyPairSync("rsa", { modulusLength: 1_024 }).publicKey.export({ format: "jwk" });
  const malformed: unknown[] = [
    null,
    1,
    [],
    {},
    ...["", "AQ", "!", undefined, 1].flatMap((text) => [
      { ...jwk, y: text },
      { ...rsa, d: undefined, n: text },
    ]),
    { ...jwk, d: "AQ" },
    { ...rsa, alg: "RS256" },
    { ...small, alg: "RS256" },
    { kty: "OKP", crv: "Ed25519", x: "AQ", alg: "EdDSA" },
  ];
  for (const entry of malformed) {
    const isObject = typeof entry === "object" && entry !== null && !Array.isArray(entry);
    const other = isObject ? { ...entry, kid: "k2" } : entry;
    body = JSON.stringify({ keys: [other, jwk] });
    const keys = remoteKeySet(url, 3_600_000);
    const failure = await jwtVerify(token, keys).then(() => null, String);
    expect([other, failure]).toEqual([other, null]);
    const alg = isObject && "alg" in entry ? String(entry.alg) : "RS256";
    const find = async () => keys({ alg, kid: "k2" }, { payload: "", signature: "" });
    const error = await find().catch((reason: unknown) => reason);
    expect([other, isKeySetOutage(error)]).toEqual([other, false]);
  }
  body = valid;
});

it("remoteKeySet(), which fetches a key set (JWKS), uses the last keys for the configured time while the key set cannot be fetched", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const keys = remoteKeySet(url, 3_600_000);
  await jwtVerify(token, keys);
  const valid = body;
  body = "out of order";
  vi.setSystemTime(Date.now() + 1_800_000);
  await expect(jwtVerify(token, keys)).resolves.toBeDefined();
  vi.setSystemTime(Date.now() + 3_600_000);
  const error = await jwtVerify(token, keys).catch((thrown) => thrown);
  expect(isKeySetOutage(error)).toBe(true);
  body = valid;
  await expect(jwtVerify(token, keys)).resolves.toBeDefined();
  vi.useRealTimers();
});

it("remoteKeySet(), which fetches a key set (JWKS), fetches the key set once in five seconds during an outage, regardless of the number of unknown key ids", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const keys = remoteKeySet(url, 3_600_000);
  await jwtVerify(token, keys);
  const valid = body;
  body = "out of order";
  vi.setSystemTime(Date.now() + 1_800_000);
  const { privateKey } = await generateKeyPair("ES256");
  fetches = 0;
  for (let n = 0; n < 16; n++) {
    const unknown = await new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: `unknown-${n}` }).sign(privateKey);
    const error = await jwtVerify(unknown, keys).catch((thrown) => thrown);
    expect(isKeySetOutage(error)).toBe(true);
    await expect(jwtVerify(token, keys)).resolves.toBeDefined();
  }
  expect(fetches).toBe(1);
  body = valid;
  vi.setSystemTime(Date.now() + 5_000);
  await expect(jwtVerify(token, keys)).resolves.toBeDefined();
  expect(fetches).toBe(2);
  vi.useRealTimers();
});

it("remoteKeySet(), which fetches a key set (JWKS), rejects a key set over the size limit", async () => {
  const valid = body;
  body = `{"keys":[],"padding":"${"x".repeat(300_000)}"}`;
  const error = await jwtVerify(token, remoteKeySet(url, 0)).catch((thrown) => thrown);
  body = valid;
  expect(isKeySetOutage(error)).toBe(true);
});

it("remoteKeySet(), which fetches a key set (JWKS), reports an unknown key id as an error of the token, not of the key set", async () => {
  const { privateKey } = await generateKeyPair("ES256");
  const foreign = await new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: "k2" }).sign(privateKey);
  const error = await jwtVerify(foreign, remoteKeySet(url, 0)).catch((thrown) => thrown);
  expect(isKeySetOutage(error)).toBe(false);
});
