import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { callSecretsManager, type SecretsManagerStub, startSecretsManager } from "#test/support/secrets-manager.ts";

const secretId = "switchboard-test-origin-secret";
const [first, second, third] = ["a".repeat(64), "b".repeat(64), "c".repeat(64)];

let stub: SecretsManagerStub;
let isFromCloudFront: (value: string | undefined) => Promise<boolean>;

const store = (current: string, previous: string) =>
  stub.stored.set(secretId, { SecretString: JSON.stringify({ current, previous }) });

beforeAll(async () => {
  stub = await startSecretsManager();
  callSecretsManager(stub);
  vi.stubEnv("ORIGIN_SECRET", `secret:${secretId}`);
});

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  store(first, "");
  vi.resetModules();
  const module = await import("#shared/http/origin-secret.ts");
  isFromCloudFront = (value) => module.isFromCloudFront(value === undefined ? {} : { "x-origin-secret": value });
  await isFromCloudFront(first);
  stub.calls.length = 0;
});

afterEach(() => void vi.useRealTimers());

afterAll(() => {
  vi.unstubAllEnvs();
  stub.stop();
});

it("isFromCloudFront() accepts the previous and the new origin secret while it is rotated, and reads it once for that", async () => {
  const accepted = [await isFromCloudFront(first)];
  store(second, first);
  for (let request = 0; request < 20; request++) {
    const values = request % 2 === 0 ? [first, second] : [second, first];
    accepted.push(...(await Promise.all(values.map(isFromCloudFront))));
  }
  expect(accepted).toEqual(Array(41).fill(true));
  expect(stub.calls).toHaveLength(1);
  store(third, second);
  vi.setSystemTime(Date.now() + 11_000);
  expect([await isFromCloudFront(third), await isFromCloudFront(second), await isFromCloudFront(first)]).toEqual([
    true,
    true,
    false,
  ]);
});

it("isFromCloudFront() reads the origin secret once in ten seconds while requests send wrong values, and not for requests without one", async () => {
  const refused = await Promise.all(Array.from({ length: 1_000 }, (_, index) => isFromCloudFront(`wrong ${index}`)));
  expect(refused).toEqual(Array(1_000).fill(false));
  expect(stub.calls).toHaveLength(1);
  expect([await isFromCloudFront(undefined), await isFromCloudFront("")]).toEqual([false, false]);
  expect(stub.calls).toHaveLength(1);
  vi.setSystemTime(Date.now() + 10_000);
  await isFromCloudFront("wrong");
  expect(stub.calls).toHaveLength(2);
});

it("isFromCloudFront() keeps the known origin secret while Secrets Manager fails, and makes a request fail with 503 if there is none", async () => {
  stub.stored.clear();
  expect([await isFromCloudFront("wrong"), await isFromCloudFront(first)]).toEqual([false, true]);
  vi.resetModules();
  const { peerClient, readClient } = await import("#shared/http/http-request.ts");
  const peer = peerClient({ "x-origin-secret": first }, "203.0.113.1");
  await expect(readClient(peer)).rejects.toMatchObject({ code: "unavailable" });
});
