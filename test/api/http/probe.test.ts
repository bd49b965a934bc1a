import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { probeChat, probeHealth } from "#shared/probe/probe-chat.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";

let admin: Client;
let asker: Client;
let key: string;
let personaId: string;
/** Lines that the probe writes. */
const lines: Record<string, unknown>[] = [];

const probe = (differences: Partial<Parameters<typeof probeChat>[0]> = {}) =>
  probeChat({ baseUrl: admin.baseUrl, key: async () => key, personaId, ...differences });
const countsOf = () =>
  lines.filter(({ probes }) => probes !== undefined).map(({ probes, failed_probes }) => [probes, failed_probes]);

beforeAll(async () => {
  admin = new Client(newIdentity());
  const body = { name: "Probe", max_output_tokens: 16, visibility: "tenant" };
  personaId = (await admin.post("/v1/personas", body)).body.id;
  asker = await createKeyClient(admin, { preset: "chat_backend" });
  key = String(asker.headers.authorization).replace("Bearer ", "");
});

afterEach(() => vi.restoreAllMocks());

beforeEach(() => {
  vi.stubEnv("LOG_LEVEL", "info");
  lines.length = 0;
  const write = process.stdout.write.bind(process.stdout);
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    lines.push(JSON.parse(String(chunk)));
    return write(chunk);
  });
});

it("probe of the chat counts one successful answer, and deletes its conversation", async () => {
  const created = vi.spyOn(globalThis, "fetch");
  await probe();
  expect(countsOf()).toEqual([[1, 0]]);
  const deleted = created.mock.calls.map(([request]) => request as Request).find(({ method }) => method === "DELETE");
  const path = new URL(String(deleted?.url)).pathname;
  expect((await asker.get(path)).status).toBe(404);
  // The usage of the answer is that of its tenant.
  await expect.poll(async () => (await admin.get("/v1/usage")).body.totals.requests).toBe(1);
});

it.each([
  ["its key does not exist", { key: async () => "swk_none" }],
  ["its persona does not exist", { personaId: "none" }],
  ["the service is not reached", { baseUrl: "http://127.0.0.1:9" }],
  ["the answer takes longer than its timeout", { timeoutMs: 1 }],
])("probe of the chat counts a failure, and does not throw, when %s", async (_, differences) => {
  await probe(differences);
  expect(countsOf()).toEqual([[1, 1]]);
});

it("probe of the health counts a success while the service is healthy, and a failure when it is not reached", async () => {
  await probeHealth({ baseUrl: admin.baseUrl });
  await probeHealth({ baseUrl: "http://127.0.0.1:9" });
  expect(countsOf()).toEqual([
    [1, 0],
    [1, 1],
  ]);
});
