import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite, type Site } from "#test/support/embed/site.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let service: ScriptedService;
let admin: Client;
beforeAll(async () => {
  service = await startScriptedService({ script: streamText(["I do not know the answer."]) });
  admin = new Client(newIdentity(), service.baseUrl);
});
afterAll(() => service?.stop());

const form = { fields: [{ name: "name", label: "Name", type: "text", is_required: true }] };

/** Creates a website with a session in which the visitor asks, rates the answer and talks to a person, and one without messages. */
async function createHandedOverSession(): Promise<{ site: Site; path: string; id: string }> {
  const site = await createSite(admin, { persona: { tier: "THINKING" }, handover: { after_unanswered: null }, form });
  const session = (await site.startSession({ form: { values: { name: `=HYPERLINK("https://x.example")` } } })).body.id;
  const answer = await site.sendMessage(session, "Do you ship bicycles to Iceland?", { accept: "application/json" });
  const { message_id } = (await answer.json()) as { message_id: string };
  await site.request("POST", `/v1/embed/sessions/${session}/messages/${message_id}/feedback`, { rating: "down" });
  await site.request("PUT", `/v1/embed/sessions/${session}/handover`, {});
  const { handovers } = (await admin.get("/v1/handovers")).body;
  const { id } = handovers.find((each: { key_id: string }) => each.key_id === site.key.id);
  await admin.patch(`/v1/handovers/${id}`, { status: "claimed" });
  await admin.post(`/v1/handovers/${id}/messages`, { content: "Yes, for 40 euros." });
  await admin.patch(`/v1/handovers/${id}`, { status: "closed", outcome: 'Answered, with a "price" and a date' });
  await site.startSession({ form: { values: { name: "Anna" } } });
  return { site, path: `/v1/tenant/embed-keys/${site.key.id}/sessions`, id };
}

/** Reads a file as RFC 4180 defines it, and fails if it is none. */
function parseRows(csv: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  let position = 0;
  for (const [text, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === "\r\n") rows.push([]);
    position += text.length;
  }
  expect(position).toBe(csv.length);
  const [names = [], ...values] = rows.slice(0, -1);
  return values.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ""])));
}

const read = async (path: string) => admin.get(path, { accept: "text/csv" });

it("sessions of a website are a CSV file with who answered, waiting time, ratings, cost and reason", async () => {
  const { path, id } = await createHandedOverSession();
  const { text, headers } = await read(path);
  expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(headers.get("link")).toBeNull();
  expect(text).toMatch(/^session_id,visitor_id,[a-z_,]*,outcome\r\n/);
  const [empty, row = {}] = parseRows(text);
  expect(empty).toMatchObject({ messages: "0", handover: "", waiting_seconds: "", last_message_at: "", cost_usd: "0" });
  expect(row).toMatchObject({
    ...{ session_id: id, is_identified: "false", page: "https://shop.example.com", messages: "1" },
    form: 'Name: =HYPERLINK("https://x.example")',
    ...{ handover: "closed", unanswered: "1", ratings_up: "0", ratings_down: "1" },
    outcome: 'Answered, with a "price" and a date',
  });
  expect(Number(row.waiting_seconds)).toBeLessThan(60);
  expect(row.answered_by).toBe(admin.identity.user);
  expect(Number(row.cost_usd)).toBeGreaterThan(0);
  expect([row.started_at, row.last_message_at].map((at) => new Date(String(at)).toISOString())).toEqual([
    row.started_at,
    row.last_message_at,
  ]);
  expect(String(row.last_message_at) > String(row.started_at)).toBe(true);
});

it("a CSV file of sessions escapes formulas of persons", async () => {
  const { path, id } = await createHandedOverSession();
  await admin.patch(`/v1/handovers/${id}`, { status: "claimed" });
  await admin.patch(`/v1/handovers/${id}`, { status: "closed", outcome: "=1+1" });
  const rows = parseRows((await read(path)).text);
  expect(rows.find(({ session_id }) => session_id === id)?.outcome).toBe("'=1+1");
});

it("pages of a CSV file of sessions are one file, and only managers of the website get it", async () => {
  const { path } = await createHandedOverSession();
  const whole = (await read(path)).text;
  const first = await read(`${path}?limit=1`);
  const next = /^<(.*)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1];
  const second = await read(String(next));
  expect(second.headers.get("link")).toBeNull();
  expect(first.text + second.text).toBe(whole);
  const member = await createColleague(admin);
  expect((await member.get(path, { accept: "text/csv" })).status).toBe(403);
});

const today = () => new Date().toISOString().slice(0, 10);

it("figures of a website's visitors count sessions, hand-overs, waits, ratings, unanswered questions and cost by day", async () => {
  const { site, path, id } = await createHandedOverSession();
  const alone = (await site.startSession({ form: { values: { name: "Ben" } } })).body.id;
  const send = async (content: string) =>
    (await (await site.sendMessage(alone, content, { accept: "application/json" })).json()) as { message_id: string };
  await send("Hello!");
  const { message_id } = await send("Do you ship kettles to Greenland?");
  const rate = (rating: string) =>
    site.request("POST", `/v1/embed/sessions/${alone}/messages/${message_id}/feedback`, { rating });
  for (const rating of ["down", "up", "up"]) expect((await rate(rating)).status).toBe(200);
  // A second hand-over of the same session is none of another session.
  await admin.patch(`/v1/handovers/${id}`, { status: "claimed" });
  const statistics = path.replace(/sessions$/, "statistics");
  const figures = { opens: 3, chats: 2, handed_over: 1, resolved_alone: 1, ratings: { up: 1, down: 1 }, unanswered: 3 };
  const body = await vi.waitFor(
    async () => {
      const reply = await admin.get(statistics);
      expect(reply.body.totals).toMatchObject(figures);
      expect(reply.body.totals.cost_usd).toBeGreaterThan(0);
      return reply.body;
    },
    { timeout: 180_000, interval: 50 },
  );
  expect(body.totals.waiting_seconds).toBeLessThan(60);
  expect(body.days).toHaveLength(30);
  expect(body.days.at(-1)).toEqual({ day: today(), ...body.totals });
  expect(body.days[0]).toMatchObject({ opens: 0, waiting_seconds: null, cost_usd: 0 });
  const { usage } = (await admin.get("/v1/usage?group_by=key")).body;
  expect(usage.find(({ key_id }: { key_id: string }) => key_id === site.key.id)).toMatchObject({ requests: 3 });
});

it("figures of a website's visitors remain when its sessions are deleted, and are those of one website only", async () => {
  const { site, path } = await createHandedOverSession();
  const statistics = path.replace(/sessions$/, "statistics");
  const read = async () => (await admin.get(statistics)).body.totals;
  await vi.waitFor(async () => expect(await read()).toMatchObject({ opens: 2, chats: 1, ratings: { down: 1 } }), {
    timeout: 180_000,
    interval: 50,
  });
  for (const { id } of (await admin.get(path)).body.sessions) await admin.delete(`${path}/${id}`);
  expect(await read()).toMatchObject({ opens: 2, chats: 1 });
  const other = await createSite(admin, { origin: "https://other.example.com" });
  const { body } = await admin.get(`/v1/tenant/embed-keys/${other.key.id}/statistics`);
  expect(body.totals).toMatchObject({ opens: 0, cost_usd: 0 });
  const member = await createColleague(admin);
  expect((await member.get(`/v1/tenant/embed-keys/${site.key.id}/statistics`)).status).toBe(403);
  expect((await admin.get(`${statistics}?from=2026-01-01&to=2026-02-01`)).status).toBe(400);
});
