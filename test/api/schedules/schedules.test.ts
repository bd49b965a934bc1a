import { expect, it } from "vitest";
import { MAX_SCHEDULES_OF_USER } from "#shared/api/schedules/schedules.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { createColleague } from "#test/support/people.ts";

const fields = { name: "Report", question: "What is new?", cron: "0 9 * * 1-5", time_zone: "Europe/Berlin" };

it("schedule of a user is created, read, changed and deleted", async () => {
  const client = new Client();
  const { status, headers, body } = await client.post("/v1/schedules", fields);
  expect(status).toBe(201);
  expect(headers.get("location")).toBe(`/v1/schedules/${body.id}`);
  expect(body).toMatchObject({
    ...fields,
    ...{ conversation: "new", conversation_id: null, persona_id: null, documents: [], enabled: true, failures: 0 },
  });
  expect(body.next_times).toHaveLength(5);
  const path = `/v1/schedules/${body.id}`;
  const { body: changed } = await client.patch(path, { cron: "30 7 * * *", skip_dates: ["2100-01-01"] });
  expect(changed).toEqual({
    ...body,
    ...{ cron: "30 7 * * *", skip_dates: ["2100-01-01"] },
    ...{ updated_at: changed.updated_at, next_times: changed.next_times },
  });
  expect(changed.next_times.every((time: string) => time.includes(":30:00.000Z"))).toBe(true);
  const { body: paused } = await client.patch(path, { enabled: false });
  expect(paused.next_times).toEqual([]);
  expect((await client.get(path)).body).toEqual(paused);
  expect((await client.get("/v1/schedules")).body.schedules).toEqual([paused]);
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
});

it("schedules of a user are neither listed nor reached by others of the tenant", async () => {
  const client = new Client();
  const colleague = await createColleague(client);
  const { body } = await client.post("/v1/schedules", fields);
  expect((await colleague.get("/v1/schedules")).body.schedules).toEqual([]);
  for (const path of [`/v1/schedules/${body.id}`, `/v1/schedules/${body.id}/runs`]) {
    expect((await colleague.get(path)).status).toBe(404);
  }
  expect((await colleague.post(`/v1/schedules/${body.id}/runs`, undefined)).status).toBe(404);
});

it("schedule of a user is refused when there are too many", async () => {
  const client = new Client();
  for (let count = 0; count < MAX_SCHEDULES_OF_USER; count++) {
    expect((await client.post("/v1/schedules", fields)).status).toBe(201);
  }
  expect(await client.post("/v1/schedules", fields)).toMatchObject({ status: 409, body: { code: "conflict" } });
  const colleague = await createColleague(client);
  expect((await colleague.post("/v1/schedules", fields)).status).toBe(201);
});

it.each([
  ["an unknown time zone", { time_zone: "Mars/Olympus" }, 400, "time_zone"],
  ["six fields", { cron: "0 0 9 * * *" }, 400, "cron"],
  ["times that are too close", { cron: "*/5 * * * *" }, 400, "cron"],
  ["an end before the start", { starts_at: "2100-01-02T00:00:00Z", ends_at: "2100-01-01T00:00:00Z" }, 400, "ends_at"],
  ["an unknown persona", { persona_id: "none" }, 404, undefined],
  ["an unknown conversation", { conversation: "same", conversation_id: "none" }, 404, undefined],
  ["an unknown document", { documents: [{ collection_id: "none", document_id: "none" }] }, 404, undefined],
])("schedule with %s is refused", async (_, changes, status, field) => {
  const client = new Client(newIdentity());
  const refused = await client.post("/v1/schedules", { ...fields, ...changes });
  expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([status, field]);
});

it("preview of a schedule has its next five times", async () => {
  const client = new Client();
  const { body } = await client.post("/v1/schedules/preview", {
    ...{ cron: "0 12 25 12 *", time_zone: "Asia/Tokyo", starts_at: "2099-01-01T00:00:00Z", skip_dates: ["2100-12-25"] },
  });
  expect(body.next_times.slice(0, 2)).toEqual(["2099-12-25T03:00:00.000Z", "2101-12-25T03:00:00.000Z"]);
  expect(body.next_times).toHaveLength(5);
});
