import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { callSecretsManager, type SecretsManagerStub, startSecretsManager } from "#test/support/secrets-manager.ts";

let stub: SecretsManagerStub;
let secrets: typeof import("#shared/lib/secrets.ts");

const store = (id: string, SecretString: string, CreatedDate?: number) =>
  stub.stored.set(id, { SecretString, ...(CreatedDate !== undefined && { CreatedDate }) });

beforeAll(async () => {
  stub = await startSecretsManager();
  callSecretsManager(stub);
});

beforeEach(async () => {
  stub.stored.clear();
  stub.calls.length = 0;
  vi.resetModules();
  vi.useFakeTimers({ toFake: ["Date"] });
  secrets = await import("#shared/lib/secrets.ts");
});

afterEach(() => void vi.useRealTimers());

afterAll(() => {
  stub.stop();
});

const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

it("loadSecret(), which reads secrets that settings name, returns a setting that names no secret as it is, without a request", async () => {
  for (const setting of ["", "sk-plain", "https://a.example"]) {
    expect(await secrets.loadSecret(setting)).toBe(setting);
    expect(secrets.getLoadedSecret(setting)).toBe(setting);
  }
  expect(stub.calls).toEqual([]);
});

it("loadSecret(), which reads secrets that settings name, reads a secret by name, or a field of its JSON by ARN, once", async () => {
  const arn = "arn:aws:secretsmanager:eu-central-1:1:secret:keys-abc123";
  store("model", "sk-1");
  store(arn, '{"openai":"sk-2"}');
  expect(secrets.getLoadedSecret("secret:model")).toBe("");
  for (let n = 0; n < 2; n++) {
    expect(await secrets.loadSecret("secret:model")).toBe("sk-1");
    expect(await secrets.loadSecret(`secret:${arn}#openai`)).toBe("sk-2");
  }
  expect(secrets.getLoadedSecret("secret:model")).toBe("sk-1");
  const operation = "GetSecretValue";
  expect(stub.calls).toEqual([
    { operation, id: "model" },
    { operation, id: arn },
  ]);
});

it("loadSecret(), which reads secrets that settings name, sends one request for concurrent reads", async () => {
  store("model", "sk-1");
  const values = await Promise.all(Array.from({ length: 5 }, () => secrets.loadSecret("secret:model")));
  expect([values, stub.calls.length]).toEqual([Array(5).fill("sk-1"), 1]);
});

it("loadSecret(), which reads secrets that settings name, returns the time at which the value was stored", async () => {
  store("model", "sk-1", 1_767_225_600.5);
  expect(await secrets.loadSecretVersion("secret:model")).toEqual({ value: "sk-1", createdAtMs: 1_767_225_600_500 });
  expect(await secrets.loadSecretVersion("sk-plain")).toEqual({ value: "sk-plain", createdAtMs: 0 });
});

it("loadSecret(), which reads secrets that settings name, reads a value again after four minutes without waiting, and waits for it after five", async () => {
  store("model", "first");
  await secrets.loadSecret("secret:model");
  store("model", "second");
  advanceSeconds(239);
  expect(await secrets.loadSecret("secret:model")).toBe("first");
  expect(stub.calls).toHaveLength(1);
  advanceSeconds(2);
  expect(await secrets.loadSecret("secret:model")).toBe("first");
  await expect.poll(() => secrets.loadSecret("secret:model")).toBe("second");
  expect(stub.calls).toHaveLength(2);
  store("model", "third");
  advanceSeconds(301);
  expect(await secrets.loadSecret("secret:model")).toBe("third");
});

it("loadSecret(), which reads secrets that settings name, measures the age of a cached value from the start of the request that read it", async () => {
  store("model", "first");
  const read = secrets.loadSecret("secret:model");
  advanceSeconds(301);
  expect(await read).toBe("first");
  store("model", "second");
  expect(await secrets.loadSecret("secret:model")).toBe("second");
});

it("loadSecret(), which reads secrets that settings name, does not wait for a read that has been pending for longer than its timeout", async () => {
  store("model", "first");
  const pending = secrets.loadSecret("secret:model");
  advanceSeconds(11);
  expect(await Promise.all([pending, secrets.loadSecret("secret:model")])).toEqual(["first", "first"]);
  expect(stub.calls).toHaveLength(2);
});

it("loadSecret(), which reads secrets that settings name, rejects a secret without text or without the field, without revealing it", async () => {
  stub.stored.set("binary", {});
  store("keys", '{"other":"sk-1"}');
  store("malformed", '{"other":sk-1}');
  store("list", "null");
  await expect(secrets.loadSecret("secret:binary")).rejects.toThrow("The secret contains no text");
  await expect(secrets.loadSecret("secret:keys#openai")).rejects.toThrow('The secret has no field "openai"');
  for (const id of ["malformed", "list"]) {
    const error = await secrets.loadSecret(`secret:${id}#openai`).catch((reason) => reason);
    expect([error.message, error.cause]).toEqual(["The secret is not a JSON object", undefined]);
  }
});

it("loadSecret(), which reads secrets that settings name, reads a value again as soon as a provider has rejected it", async () => {
  store("model", "old");
  await secrets.loadSecret("secret:model");
  store("model", "new");
  secrets.expireSecrets();
  expect(await secrets.loadSecret("secret:model")).toBe("new");
});

it("loadSecret(), which reads secrets that settings name, returns the last value while Secrets Manager fails and asks it once a minute, and throws if there is none", async () => {
  await expect(secrets.loadSecret("secret:model")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  store("model", "sk-1");
  await secrets.loadSecret("secret:model");
  stub.stored.clear();
  stub.calls.length = 0;
  advanceSeconds(600);
  expect(await secrets.loadSecret("secret:model")).toBe("sk-1");
  expect(stub.calls).toHaveLength(1);
  for (let seconds = 10; seconds <= 50; seconds += 10) {
    advanceSeconds(10);
    expect(await secrets.loadSecret("secret:model")).toBe("sk-1");
  }
  await sleep(50);
  expect(stub.calls).toHaveLength(1);
  advanceSeconds(11);
  expect(await secrets.loadSecret("secret:model")).toBe("sk-1");
  await expect.poll(() => stub.calls.length).toBe(2);
});
