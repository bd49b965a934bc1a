import { expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";

const newOwner = () => new Client(newIdentity());

const createPersona = async (owner: Client, fields: Record<string, unknown> = {}): Promise<string> =>
  (await owner.post("/v1/personas", { name: "Guide", ...fields })).body.id;

it("test sets of a persona are created, listed newest first, renamed and deleted", async () => {
  const owner = newOwner();
  const persona_id = await createPersona(owner);
  const create = (name: string) => owner.post("/v1/test-sets", { persona_id, name });
  const [first, second] = [await create("Prices"), await create("Delivery")];
  expect([first.status, first.headers.get("location")]).toEqual([201, `/v1/test-sets/${first.body.id}`]);
  const list = async () => (await owner.get(`/v1/test-sets?persona_id=${persona_id}`)).body.test_sets;
  expect(await list()).toEqual([second.body, first.body]);
  const path = `/v1/test-sets/${first.body.id}`;
  expect((await owner.patch(path, { description: "In euros" })).body).toMatchObject({
    ...first.body,
    description: "In euros",
    updated_at: expect.any(String),
  });
  expect((await owner.delete(path)).status).toBe(204);
  expect([(await owner.get(path)).status, (await list()).length]).toEqual([404, 1]);
});

it("test sets belong to those who can change their persona", async () => {
  const admin = newOwner();
  const owner = await createColleague(admin);
  const member = await createColleague(admin);
  const persona_id = await createPersona(owner, { visibility: "org" });
  const { id } = (await owner.post("/v1/test-sets", { persona_id, name: "Prices" })).body;
  const attempts = (client: Client) => [
    client.post("/v1/test-sets", { persona_id, name: "Mine" }),
    client.get(`/v1/test-sets?persona_id=${persona_id}`),
    client.get(`/v1/test-sets/${id}`),
    client.patch(`/v1/test-sets/${id}`, { name: "Mine" }),
    client.get(`/v1/test-sets/${id}/items`),
    client.post(`/v1/test-sets/${id}/items`, { items: [{ question: "Mine?" }] }),
    client.delete(`/v1/test-sets/${id}`),
  ];
  const statuses = async (client: Client) => (await Promise.all(attempts(client))).map(({ status }) => status);
  expect(await statuses(member)).toEqual(Array(7).fill(403));
  await owner.patch(`/v1/personas/${persona_id}`, { visibility: "private" });
  expect(await statuses(member)).toEqual(Array(7).fill(404));
  expect((await admin.get(`/v1/test-sets/${id}`)).status).toBe(200);
});
