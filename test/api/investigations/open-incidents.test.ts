import { beforeAll, expect, it } from "vitest";
import type { Investigation } from "#shared/api/investigations/investigations.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

let client: Client;
let channel: Awaited<ReturnType<typeof createChannel>>;

beforeAll(async () => {
  client = new Client(newIdentity());
  channel = await createChannel({}, client);
});

/** Delivers an event of PagerDuty. */
async function deliver(incident: string, event: string, id: string) {
  const data = {
    ...{ id: incident, type: "incident", title: `Down: ${incident}`, urgency: "high" },
    assignees: [{ summary: "Anna Berg" }],
  };
  const raw = JSON.stringify({ event: { id, event_type: `incident.${event}`, data } });
  const signature = hmacHex(String(channel.registration.secret), raw);
  expect((await channel.post(raw, { "x-webhook-signature": signature })).status).toBe(200);
}

const list = async (state: "open" | "all" = "open"): Promise<Investigation[]> =>
  (await client.get(`/v1/investigations?state=${state}`)).body.investigations;
const titles = async (state?: "open" | "all") => (await list(state)).map(({ title }) => title);
const act = async (id: string | undefined, action: string, body: object) =>
  client.post(`/v1/investigations/${id}/${action}`, body);

it("list of open incidents has one entry for each open incident of a channel without investigations", async () => {
  await deliver("Q1", "triggered", "e1");
  await deliver("Q1", "acknowledged", "e2");
  await deliver("Q2", "triggered", "e3");
  await expect.poll(() => titles()).toEqual(["Down: Q2", "Down: Q1"]);
  const [, first] = await list();
  expect(first).toMatchObject({ status: "skipped", reason: "off", state: "acknowledged", assigned_to: "Anna Berg" });
  const { body } = await client.get(`/v1/investigations/${first?.id}`);
  expect(body.alert).toMatchObject({ description: "Down: Q1", details: { "Assigned to": "Anna Berg" } });
  const deliveries = (await client.get(`/v1/webhooks/${channel.id}/deliveries`)).body.deliveries;
  expect(deliveries.map(({ title }: { title: string }) => title)).toEqual(["Down: Q2", "Down: Q1", "Down: Q1"]);
});

it("list of open incidents leaves out a silenced incident until its silence ends", async () => {
  const [second] = await list();
  expect((await act(second?.id, "silence", { minutes: 60 })).body.silenced_until).toEqual(expect.any(String));
  expect(await titles()).toEqual(["Down: Q1"]);
  expect(await titles("all")).toEqual(["Down: Q2", "Down: Q1"]);
  await act(second?.id, "silence", { minutes: null });
  expect(await titles()).toEqual(["Down: Q2", "Down: Q1"]);
});

it("list of open incidents shows merged incidents as one until the one that it shows is resolved", async () => {
  const [second, first] = await list();
  expect((await act(second?.id, "merge", { into: first?.id })).body.merged_into).toBe(first?.id);
  expect(await titles()).toEqual(["Down: Q1"]);
  const { body } = await client.get(`/v1/investigations/${first?.id}`);
  expect([body.merged_count, body.merged.map(({ id }: Investigation) => id)]).toEqual([1, [second?.id]]);
  await deliver("Q1", "resolved", "e4");
  await expect.poll(() => titles()).toEqual(["Down: Q2"]);
});

it("merge of an incident with one of another channel is a conflict", async () => {
  const [second] = await list("all");
  const own = channel;
  channel = await createChannel({}, client);
  await deliver("Q3", "triggered", "e5");
  channel = own;
  await expect.poll(() => titles()).toContain("Down: Q3");
  const [third] = await list();
  expect((await act(third?.id, "merge", { into: second?.id })).status).toBe(409);
});

it("user who cannot write in the conversation of an incident can neither silence nor merge it", async () => {
  const [first] = await list();
  const stranger = new Client({ ...client.identity, user: "stranger", roles: "member" }, client.baseUrl);
  for (const [action, body] of [
    ["silence", { minutes: 5 }],
    ["merge", { into: null }],
  ] as const) {
    const { status } = await stranger.post(`/v1/investigations/${first?.id}/${action}`, body);
    expect([action, status]).toEqual([action, 404]);
  }
});
