import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { decrypt, encrypt } from "#shared/auth/encryption.ts";
import { callSecretsManager, type SecretsManagerStub, startSecretsManager } from "#test/support/secrets-manager.ts";
import { acceptSecretsOf, rotate } from "../../../infra/commands/rotate.ts";

const APP_SECRET = "switchboard-test-app-secret";
const ORIGIN_SECRET = "switchboard-test-origin-secret";
const DAY_SECONDS = 86_400;

let stub: SecretsManagerStub;

/** Stores a value that is older than a day. */
const store = (id: string, SecretString: string, ageSeconds = DAY_SECONDS + 1) =>
  stub.stored.set(id, { SecretString, CreatedDate: Date.now() / 1_000 - ageSeconds });

const readStored = (id: string) => JSON.parse(stub.stored.get(id)?.SecretString ?? "");

/** Returns the secrets as a new function instance reads them. */
async function loadAppSecrets() {
  vi.resetModules();
  return (await import("#shared/auth/app-secret.ts")).loadAppSecrets();
}

beforeAll(async () => {
  stub = await startSecretsManager();
  callSecretsManager(stub);
  vi.stubEnv("APP_SECRET", `secret:${APP_SECRET}`);
});

beforeEach(() => stub.stored.clear());

afterAll(() => {
  vi.unstubAllEnvs();
  stub.stop();
});

it("loadAppSecrets() returns a value that was never rotated as the only secret", async () => {
  store(APP_SECRET, "plain", 0);
  expect(await loadAppSecrets()).toEqual({ current: "plain", recent: ["plain"], all: ["plain"] });
});

it("loadAppSecrets() verifies with a new secret at once and signs with it after ten minutes", async () => {
  const value = JSON.stringify({ current: "c", previous: "p", older: ["o1", "o2"] });
  const accepted = { recent: ["c", "p"], all: ["c", "p", "o1", "o2"] };
  store(APP_SECRET, value, 590);
  expect(await loadAppSecrets()).toEqual({ current: "p", ...accepted });
  store(APP_SECRET, value, 601);
  expect(await loadAppSecrets()).toEqual({ current: "c", ...accepted });
});

it("loadAppSecrets() signs at once with a secret that has no previous value", async () => {
  store(APP_SECRET, JSON.stringify({ current: "c", previous: "" }), 0);
  expect(await loadAppSecrets()).toEqual({ current: "c", recent: ["c"], all: ["c"] });
});

it.each([
  ...["", '{"previous":"p"}', '{"current":""}', '{"current":"c"', '{"current":"c","older":[""]}'],
  ...['{"current":"c","previous":{"p":1}}', '{"current":c}'],
])("loadAppSecrets() rejects the value %s with an error that does not contain it", async (value) => {
  store(APP_SECRET, value);
  const error = await loadAppSecrets().catch((reason) => reason);
  expect([error.message, error.cause]).toEqual(["The value of the secret is empty or malformed", undefined]);
});

it("loadAppSecrets() reads the secret once while a function initializes and serves its first requests", async () => {
  store(APP_SECRET, "plain");
  stub.calls.length = 0;
  vi.resetModules();
  const { loadAppSecrets: load } = await import("#shared/auth/app-secret.ts");
  await expect.poll(() => stub.calls).toHaveLength(1);
  await load();
  await load();
  expect(stub.calls).toEqual([{ operation: "GetSecretValue", id: APP_SECRET }]);
});

it("rotate script adds a secret and keeps all earlier app secrets", async () => {
  store(APP_SECRET, "plain");
  await rotate(APP_SECRET);
  const first = readStored(APP_SECRET);
  expect(first).toEqual({ current: expect.stringMatching(/^[\w-]{64}$/), previous: "plain", older: [] });
  await rotate(APP_SECRET, { force: true });
  expect(readStored(APP_SECRET)).toEqual({ current: expect.any(String), previous: first.current, older: ["plain"] });
});

it.each([`arn:aws:secretsmanager:eu-central-1:1:secret:${APP_SECRET}-AbC1eF`, "renamed"])(
  "rotate script keeps earlier app secrets when the secret is named %s",
  async (id) => {
    store(id, JSON.stringify({ current: "a", previous: "b", older: ["c"] }));
    await rotate(id);
    expect(readStored(id)).toEqual({ current: expect.any(String), previous: "a", older: ["b", "c"] });
  },
);

it("rotate script adds the previous app secret to the earlier ones when it is named by its ARN", async () => {
  const arn = `arn:aws:secretsmanager:eu-central-1:1:secret:${APP_SECRET}-AbC1eF`;
  store(arn, JSON.stringify({ current: "a", previous: "b" }));
  await rotate(arn);
  expect(readStored(arn)).toMatchObject({ previous: "a", older: ["b"] });
});

it.each(["", "{"])("rotate script refuses to rotate the malformed value '%s'", async (value) => {
  store(APP_SECRET, value);
  await expect(rotate(APP_SECRET)).rejects.toThrow("empty or malformed");
  expect(stub.stored.get(APP_SECRET)?.SecretString).toBe(value);
});

it("rotate script revokes earlier secrets only once all functions sign with the current one, or when forced", async () => {
  const value = JSON.stringify({ current: "a", previous: "b" });
  store(APP_SECRET, value, 590);
  await expect(rotate(APP_SECRET, { revoke: true })).rejects.toThrow("less than ten minutes ago");
  expect(stub.stored.get(APP_SECRET)?.SecretString).toBe(value);
  await rotate(APP_SECRET, { revoke: true, force: true });
  expect(readStored(APP_SECRET)).toEqual({ current: "a", previous: "" });
});

it("rotate script adds the secrets of another cell to the earlier secrets once each, and keeps its own secrets", async () => {
  store(APP_SECRET, JSON.stringify({ current: "a", previous: "b", older: ["c"] }));
  store("switchboard-west-app-secret", JSON.stringify({ current: "x", previous: "b", older: ["c", "y"] }));
  for (let n = 0; n < 2; n++) await acceptSecretsOf(APP_SECRET, "switchboard-west-app-secret");
  expect(readStored(APP_SECRET)).toEqual({ current: "a", previous: "b", older: ["c", "x", "y"] });
  store(APP_SECRET, "plain");
  store("switchboard-west-app-secret", "other");
  await acceptSecretsOf(APP_SECRET, "switchboard-west-app-secret");
  expect(await loadAppSecrets()).toEqual({ current: "plain", recent: ["plain"], all: ["plain", "other"] });
});

it("rotate script keeps only the previous value of the origin secret", async () => {
  store(ORIGIN_SECRET, JSON.stringify({ current: "a", previous: "b" }));
  await rotate(ORIGIN_SECRET);
  expect(readStored(ORIGIN_SECRET)).toEqual({ current: expect.any(String), previous: "a" });
});

it("rotate script refuses a second rotation within a day and leaves the secret as it is", async () => {
  const value = JSON.stringify({ current: "a", previous: "b" });
  store(APP_SECRET, value, DAY_SECONDS - 60);
  await expect(rotate(APP_SECRET)).rejects.toThrow("changed less than a day ago");
  expect(stub.stored.get(APP_SECRET)?.SecretString).toBe(value);
});

it("rotate script empties the field of earlier secrets when it revokes them, but keeps the field, which the stacks reference", async () => {
  store(ORIGIN_SECRET, JSON.stringify({ current: "a", previous: "b" }), 601);
  await rotate(ORIGIN_SECRET, { revoke: true });
  expect(readStored(ORIGIN_SECRET)).toEqual({ current: "a", previous: "" });
});

it("rotate script fails for a secret that does not exist", async () => {
  await expect(rotate("switchboard-none-app-secret")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
});

it("encrypt() returns a text that only its secret and purpose decrypt", () => {
  const encrypted = encrypt("secret", "purpose", "text");
  expect(decrypt("secret", "purpose", encrypted)).toBe("text");
  expect(decrypt("other", "purpose", encrypted)).toBeNull();
  expect(decrypt("secret", "other", encrypted)).toBeNull();
});
