import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { waitForAuditEvents } from "#test/support/governance/audit.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";

let service: Switchboard;
let owner: Client;
beforeAll(async () => {
  service = await startSwitchboard();
  owner = new Client(newIdentity(), service.baseUrl);
});
afterAll(() => service?.stop());

it("deleted persona leaves none of its versions, however many there are", async () => {
  const mark = crypto.randomUUID();
  const { id } = (await owner.post("/v1/personas", { name: "Guide", instructions: mark })).body;
  for (let n = 0; n < 60; n++) await owner.patch(`/v1/personas/${id}`, { greeting: `${n}`, publish: n % 2 === 0 });
  expect(findItemsContaining(service, mark)).toHaveLength(62);
  expect((await owner.delete(`/v1/personas/${id}`)).status).toBe(204);
  await vi.waitFor(() => expect(findItemsContaining(service, mark)).toEqual([]), { timeout: 180_000, interval: 100 });
});

it("audit trail names who published, withdrew and restored a version of a persona", async () => {
  const { id } = (await owner.post("/v1/personas", { name: "Guide" })).body;
  await owner.patch(`/v1/personas/${id}`, { instructions: "A secret draft.", publish: false });
  const version = (number: number, action: string) => `/v1/personas/${id}/versions/${number}/${action}`;
  await owner.post(version(2, "publish"), { percent: 10 });
  await owner.delete(version(2, "publish"));
  await owner.post(version(2, "publish"), {});
  await owner.post(version(1, "restore"), { note: "Better" });
  const expected = ["persona.created", "persona.updated", "persona.version_withdrawn", "persona.restored"];
  const events = await waitForAuditEvents(owner, id, expected);
  expect(events.map(({ action }) => action).reverse()).toEqual([
    "persona.created",
    "persona.updated",
    "persona.version_published",
    "persona.version_withdrawn",
    "persona.version_published",
    "persona.restored",
  ]);
  expect(events[3]?.details).toMatchObject({ changed: ["rollouts"] });
  expect(events[0]?.details).toMatchObject({
    before: { version: 2, latest_version: 2, restored_from: null },
    after: { version: 3, latest_version: 3, restored_from: 1 },
  });
  expect(events.every(({ actor }) => actor.id === owner.identity.user)).toBe(true);
  expect(JSON.stringify(events)).not.toContain("secret");
});
