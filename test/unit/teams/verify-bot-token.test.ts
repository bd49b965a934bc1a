import { randomUUID } from "node:crypto";
import { generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verifyBotToken } from "#shared/auth/verify-bot-token.ts";
import { startTeamsStub, type TeamsStub } from "#test/support/teams/teams-stub.ts";

let stub: TeamsStub;
const appId = randomUUID();
const seconds = Math.floor(Date.now() / 1_000);

beforeAll(async () => {
  stub = await startTeamsStub();
});
afterAll(() => stub?.stop());

const expected = () => ({
  metadataUrl: stub.metadataUrl,
  channel: "msteams",
  appId,
  serviceUrl: stub.serviceUrl,
});
const verify = (token: string) => verifyBotToken(`Bearer ${token}`, expected());

it("verifyBotToken() accepts tokens of the Bot Connector service, with five minutes of clock skew", async () => {
  for (const claims of [{}, { exp: seconds - 240 }, { nbf: seconds + 240 }, { iat: seconds + 3_000 }]) {
    await expect(verify(await stub.sign(appId, claims))).resolves.toBeUndefined();
  }
});

it("verifyBotToken() refuses forged tokens", async () => {
  const stranger = (await generateKeyPair("RS256")).privateKey;
  const claims: Record<string, unknown>[] = [
    ...["https://sts.windows.net/x/", "https://api.botframework.com/", "", null, undefined].map((iss) => ({ iss })),
    ...[randomUUID(), "", null, undefined, [], [randomUUID()], `${appId} `].map((aud) => ({ aud })),
    ...[seconds - 301, 0, -1, undefined, "soon", null].map((exp) => ({ exp })),
    ...[seconds + 400, "later"].map((nbf) => ({ nbf })),
    ...["https://evil.example/", "", null, undefined, [], `${stub.serviceUrl}x`].map((serviceurl) => ({ serviceurl })),
  ];
  const headers = [
    { key: stranger },
    { key: stub.keys.skype },
    { kid: "skype", key: stub.keys.skype },
    { kid: "none" },
  ];
  const valid = await stub.sign(appId);
  const [head = "", payload = "", signature = ""] = valid.split(".");
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const symmetric = new SignJWT({
    iss: "https://api.botframework.com",
    aud: appId,
    exp: seconds + 60,
    serviceurl: stub.serviceUrl,
  })
    .setProtectedHeader({ alg: "HS256", kid: "teams" })
    .sign(Buffer.from("0".repeat(64)));
  const flipped = Array.from({ length: 60 }, (_, index) => {
    const at = (index * 5) % (signature.length - 1);
    return `${head}.${payload}.${signature.slice(0, at)}${signature[at] === "A" ? "B" : "A"}${signature.slice(at + 1)}`;
  });
  const forged = await Promise.all([
    ...claims.map((each) => stub.sign(appId, each)),
    ...headers.map((header) => stub.sign(appId, {}, header)),
    ...claims.slice(0, 20).map((each) => stub.sign(appId, each, { kid: "skype", key: stub.keys.skype })),
    symmetric,
    ...["none", "None", "HS256", "RS256"].map(
      (alg) => `${encode({ alg, kid: "teams", typ: "JWT" })}.${payload}.${alg === "none" ? "" : signature}`,
    ),
    `${head}.${encode({ aud: appId })}.${signature}`,
    `${head}.${payload}.`,
    `${head}.${payload}`,
    `${valid}=`,
    "",
    ...flipped,
  ]);
  // A header that is signed again with its own values is the valid token.
  const invalid = forged.filter((token) => token !== valid);
  const results = await Promise.all(
    invalid.map((token) =>
      verify(token).then(
        () => token,
        (error) => error.code,
      ),
    ),
  );
  expect(invalid.length).toBeGreaterThan(100);
  expect(results.filter((result) => result !== "unauthorized")).toEqual([]);
});

it("verifyBotToken() reports unavailable when the keys cannot be fetched, and does not request them again at once", async () => {
  const missing = { ...expected(), metadataUrl: `${stub.metadataUrl}-missing` };
  const token = `Bearer ${await stub.sign(appId)}`;
  for (const _ of [1, 2]) await expect(verifyBotToken(token, missing)).rejects.toMatchObject({ code: "unavailable" });
  expect(stub.calls.map(({ path }) => path)).toEqual(["/openid-missing"]);
});
