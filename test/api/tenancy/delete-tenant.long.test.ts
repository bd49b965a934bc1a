import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { findObjectsContaining } from "#test/support/tables/bucket-contents.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";
import { Operator, readDeploymentKey } from "#test/support/tenancy/deployment-key.ts";
import { seedTenant } from "#test/support/tenant-resources.ts";

const pathOf = ({ identity }: Client) => `/v1/admin/tenants/${identity.tenant}`;

it("deletion of a tenant suspends the tenant at once, is idempotent, and prevents reuse of the tenant id", async () => {
  const [operator, client] = [new Operator(), new Client(newIdentity(), inject("baseUrl"))];
  expect((await operator.delete(pathOf(client))).status).toBe(404);
  await operator.post("/v1/admin/tenants", { id: client.identity.tenant, name: "Harbor" });
  const first = await operator.delete(pathOf(client));
  expect(first.status).toBe(202);
  expect(first.body).toMatchObject({
    status: "deleting",
    suspended_at: expect.any(String),
    deletion: { completed_at: null, proof: expect.stringMatching(/^[\w-]{43}$/) },
  });
  const again = await operator.delete(pathOf(client));
  expect(again.body.deletion.requested_at).toBe(first.body.deletion.requested_at);
  expect((await client.get("/v1/me")).status).toBe(403);
  expect((await operator.patch(pathOf(client), { suspended: false })).status).toBe(409);
  expect((await operator.post("/v1/admin/tenants", { id: client.identity.tenant })).status).toBe(409);
});

describe.skipIf(!isFullRun)("deleted tenant", () => {
  let service: Switchboard;
  let stateDir: string;
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "switchboard-"));
    service = await startSwitchboard({ stateDir });
  });
  afterAll(async () => {
    await service?.stop();
    await rm(stateDir, { recursive: true, force: true });
  });

  it("deleted tenant leaves only the proof of its deletion and expiring items, and other tenants keep all data", async () => {
    let operator = new Operator(readDeploymentKey(service), service.baseUrl);
    const [client, other] = [new Client(newIdentity(), service.baseUrl), new Client(newIdentity(), service.baseUrl)];
    const marks = [`m${randomUUID().slice(0, 8)}`, `o${randomUUID().slice(0, 8)}`] as const;
    for (const [index, each] of [client, other].entries()) {
      await seedTenant(each, String(marks[index]));
      await addIndexedDocument(each, { title: "More", text: `About ${marks[index]}.` });
      const group = { name: "Readers", roles: [], member_ids: [each.identity.user] };
      const readers = [`group:${(await each.post("/v1/groups", group)).body.id}`];
      const shared = await each.post("/v1/knowledge/collections", { name: "Shared", readers });
      await addIndexedDocument(each, { title: "For readers", text: `Read ${marks[index]}.` }, shared.body.id);
    }
    const isOf = (tenant: string) => (row: string) => row.includes(tenant) && !row.includes("~deployment");
    const rowsOf = ({ identity }: Client) =>
      findItemsContaining(service, identity.tenant).filter(isOf(identity.tenant));
    const kept = rowsOf(other).length;
    await operator.delete(pathOf(client));
    await vi.waitFor(
      async () => {
        const { deletion } = (await operator.get(pathOf(client))).body;
        expect(Object.keys(deletion.deleted_items).length).toBeGreaterThan(2);
      },
      { timeout: 180_000, interval: 20 },
    );
    await service.stop("SIGKILL");
    service = await startSwitchboard({ stateDir });
    operator = new Operator(readDeploymentKey(service), service.baseUrl);
    const deleted = await vi.waitFor(
      async () => {
        const { body } = await operator.get(pathOf(client));
        expect(body.status).toBe("deleted");
        return body;
      },
      { timeout: 200_000, interval: 1_000 },
    );
    expect(deleted).toMatchObject({ name: null, limits: {} });
    expect(deleted.deletion.deleted_items).toMatchObject({ user: 3, message: expect.any(Number) });
    // Items that expire by themselves, such as markers and logs, may stay until then.
    const left = rowsOf(client).filter((row) => !/ttl\W+N\W+\d/.test(row));
    expect(left.map((row) => row.slice(0, 300))).toEqual([]);
    expect(findObjectsContaining(service, marks[0])).toEqual([]);
    expect(rowsOf(other).length).toBeGreaterThanOrEqual(kept - 5);
    expect(findObjectsContaining(service, marks[1]).length).toBeGreaterThan(0);
  });
});
