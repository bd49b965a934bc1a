import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite, type Site } from "#test/support/embed/site.ts";
import { streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { createMovableClock } from "#test/support/shifted-clock.ts";

const clock = createMovableClock();
let service: ScriptedService;
let admin: Client;
let colleague: Client;
let site: Site;

beforeAll(async () => {
  service = await startScriptedService({
    env: { RATE_LIMIT_EMBED_SESSION: "30" },
    nodeOptions: [clock.nodeOption],
  });
  colleague = new Client(newIdentity(), service.baseUrl);
  const provisioned = await colleague.post("/scim/v2/Users", { userName: "ada", displayName: "Ada" });
  admin = new Client({ ...colleague.identity, user: provisioned.body.id }, service.baseUrl);
  site = await createSite(admin, { persona: { tier: "THINKING" }, handover: { words: ["lawyer"] } });
});
afterAll(() => service?.stop());
beforeEach(() => {
  service.upstream.requests.length = 0;
  service.upstream.script = streamText(["Answer."]);
});

const pathOf = (session: string) => `/v1/embed/sessions/${session}/handover`;
const request = (session: string, body = {}) => site.request("PUT", pathOf(session), body);
const poll = async (session: string, after = "") =>
  (await site.request("GET", `${pathOf(session)}${after && `?after=${after}`}`)).body;
const send = async (session: string, content: string, headers: Record<string, string> = {}) => {
  const response = await site.sendMessage(session, content, { accept: "application/json", ...headers });
  return { status: response.status, body: (await response.json()) as { message_id: string; person?: object } };
};
const listOpen = async () => (await admin.get("/v1/handovers?limit=100")).body.handovers as { id: string }[];

/** Starts a session that waits for a person, and returns its id for the visitor and for persons. */
async function startWaiting(): Promise<{ session: string; path: string }> {
  const before = new Set((await listOpen()).map(({ id }) => id));
  const session = await site.createSession();
  expect((await request(session)).body).toMatchObject({ status: "waiting", person: null, is_typing: false });
  const added = (await listOpen()).find(({ id }) => !before.has(id));
  return { session, path: `/v1/handovers/${added?.id}` };
}

const change = (client: Client, path: string, body: object) => client.request("PATCH", path, body);
const textsOf = (messages: readonly { content: readonly { text: string }[] }[]) =>
  messages.map(({ content }) => content.map(({ text }) => text).join());

it("a hand-over stores messages of visitor and person without an answer of the assistant, which reads them afterwards", async () => {
  const { session, path } = await startWaiting();
  const question = await send(session, "My parcel is broken.");
  expect(question.status).toBe(202);
  const claimed = await change(admin, path, { status: "claimed" });
  expect(claimed.body).toMatchObject({ status: "claimed", person: { name: "Ada" }, question: "My parcel is broken." });
  const answer = await admin.post(`${path}/messages`, { content: "I **send** you another one." });
  expect(answer.status).toBe(201);
  const { handover, messages } = await poll(session, question.body.message_id);
  expect(handover).toMatchObject({ status: "claimed", person: { name: "Ada" } });
  expect(messages).toMatchObject([{ role: "assistant", person: { name: "Ada" } }]);
  expect((await poll(session, answer.body.message_id)).messages).toEqual([]);
  expect(service.upstream.requests).toEqual([]);
  expect((await change(admin, path, { status: "returned", outcome: "Sent again" })).body.status).toBe("returned");
  const next = await send(session, "When does it arrive?");
  expect(next.status).toBe(200);
  const prompt = JSON.stringify(service.upstream.requests[0]?.body.messages);
  expect(prompt).toContain("(To a person of the team:)\\nMy parcel is broken.");
  expect(prompt).toContain('from=\\"Ada\\"');
  expect(prompt).toContain("I **send** you another one.");
  const shown = (await site.getSession(session)).body;
  expect(shown.handover).toEqual({ is_open: true });
  expect(textsOf(shown.messages)).toHaveLength(4);
});

it("a hand-over lets only the person who claimed it answer, and another one take over by naming that person", async () => {
  const { session, path } = await startWaiting();
  expect((await admin.post(`${path}/messages`, { content: "Hello" })).status).toBe(409);
  const claims = await Promise.all([admin, colleague].map((client) => change(client, path, { status: "claimed" })));
  expect(claims.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const [owner, other] = claims[0]?.status === 200 ? [admin, colleague] : [colleague, admin];
  expect((await other.post(`${path}/messages`, { content: "Hello" })).status).toBe(409);
  expect((await change(other, path, { status: "closed" })).status).toBe(409);
  expect((await change(other, path, { note: "Mine" })).status).toBe(409);
  const from = (await owner.get(path)).body.handover.person.user_id;
  expect((await change(other, path, { status: "claimed", take_over_from: from })).status).toBe(200);
  expect((await owner.post(`${path}/messages`, { content: "Hello" })).status).toBe(409);
  expect((await other.post(`${path}/messages`, { content: "Hello" })).status).toBe(201);
  expect((await poll(session)).messages).toHaveLength(1);
});

it("a hand-over shows the visitor place, typing and the end, and the note to persons only", async () => {
  const first = await startWaiting();
  const second = await startWaiting();
  const places = await Promise.all([first, second].map(async ({ session }) => (await poll(session)).handover.place));
  expect((places[1] as number) - (places[0] as number)).toBe(1);
  await change(admin, first.path, { status: "claimed" });
  expect((await poll(second.session)).handover.place).toBe(places[0]);
  expect((await change(admin, first.path, { is_typing: true, note: "Angry" })).status).toBe(200);
  const seen = await poll(first.session);
  expect(seen.handover).toMatchObject({ is_typing: true, place: null });
  expect(JSON.stringify(seen)).not.toContain("Angry");
  expect((await admin.get(first.path)).body.handover.note).toBe("Angry");
  await change(admin, first.path, { status: "closed", outcome: "Solved" });
  expect((await poll(first.session)).handover).toMatchObject({ status: "closed", person: null, is_typing: false });
  expect((await site.request("DELETE", pathOf(second.session))).status).toBe(204);
  expect((await poll(second.session)).handover.status).toBe("returned");
  const open = await listOpen();
  expect(open.some(({ id }) => first.path.endsWith(id) || second.path.endsWith(id))).toBe(false);
});

it("a hand-over is requested by a word of the key's list, by the assistant, and after answers without a source", async () => {
  const byWord = await site.createSession();
  expect((await send(byWord, "I'll ask my LAWYER!")).status).toBe(202);
  expect((await poll(byWord)).handover.status).toBe("waiting");
  expect(service.upstream.requests).toEqual([]);
  expect((await send(await site.createSession(), "Which lawyers do you know?")).status).toBe(200);

  const byAssistant = await site.createSession();
  const scripts = [streamToolCalls(["request_person", "{}"]), streamText(["A person comes."])];
  service.upstream.script = (response, sent) =>
    (sent.body.tools ? (scripts.shift() ?? streamText([""])) : streamText(["Done."]))(response, sent);
  expect((await send(byAssistant, "Can I talk to a person?")).status).toBe(200);
  expect((await poll(byAssistant)).handover.status).toBe("waiting");

  service.upstream.script = streamText(["Perhaps."]);
  const byGaps = await site.createSession();
  for (const question of ["Which maps show the island of Sylt?", "Which globes show the moon?"]) {
    expect((await send(byGaps, question)).status).toBe(200);
  }
  await expect.poll(async () => (await poll(byGaps)).handover?.status).toBe("waiting");
  const reasons = (await listOpen()).map((each) => (each as unknown as { reason: string }).reason);
  expect(reasons).toEqual(expect.arrayContaining(["word", "assistant", "unanswered"]));
});

it("a hand-over that no person answers is missed: the assistant answers again, and the visitor can leave an address", async () => {
  const shop = await createSite(admin, { handover: { wait_minutes: 5 } });
  const session = await shop.createSession();
  await shop.request("PUT", pathOf(session), {});
  clock.advance(6 * 60_000);
  expect((await shop.request("GET", pathOf(session))).body.handover.status).toBe("missed");
  const response = await shop.sendMessage(session, "Hello?", { accept: "application/json" });
  expect(response.status).toBe(200);
  const left = await shop.request("PUT", pathOf(session), { contact_email: "ann@example.com" });
  expect(left.body).toMatchObject({ status: "missed", has_contact: true });
  expect((await shop.request("PUT", pathOf(session), { contact_email: "ann" })).status).toBe(400);
  expect(JSON.stringify(await listOpen())).toContain("ann@example.com");
});

it("a hand-over outside of the opening hours is missed at once, and without the setting it is refused", async () => {
  const hours = { time_zone: "Pacific/Auckland", periods: [{ days: ["mon"], from: "00:00", to: "00:01" }] };
  const closed = await createSite(admin, { handover: { hours } });
  const session = await closed.createSession();
  expect((await closed.getSession(session)).body.handover).toEqual({ is_open: false });
  expect((await closed.request("PUT", pathOf(session), {})).body.status).toBe("missed");
  const without = await createSite(admin);
  const plain = await without.createSession();
  expect((await without.getSession(plain)).body).not.toHaveProperty("handover");
  expect((await without.request("PUT", pathOf(plain), {})).status).toBe(403);
  expect((await without.request("GET", pathOf(plain))).body).toEqual({ handover: null, messages: [] });
});

it("a hand-over stores a message once for each idempotency key, of visitors and of persons", async () => {
  const { session, path } = await startWaiting();
  const key = { "idempotency-key": randomUUID() };
  const sent = await Promise.all([send(session, "Hello", key), send(session, "Hello", key)]);
  expect(new Set(sent.map(({ body }) => body.message_id)).size).toBe(1);
  await change(admin, path, { status: "claimed" });
  const answers = await Promise.all([1, 2].map(() => admin.post(`${path}/messages`, { content: "Hi" }, key)));
  expect(new Set(answers.map(({ body }) => body.message_id)).size).toBe(1);
  expect((await admin.get(path)).body.messages).toHaveLength(2);
});

it("polls of a widget leave its rate limit for messages", async () => {
  const { session } = await startWaiting();
  const path = pathOf(session);
  const polls = await Promise.all(Array.from({ length: 35 }, () => site.request("GET", path)));
  expect(new Set(polls.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect((await send(session, "Are you there?")).status).toBe(202);
});

it("a claim stops the answer that is in progress", async () => {
  const { session, path } = await startWaiting();
  await site.request("DELETE", pathOf(session));
  service.upstream.script = async (response) => {
    response.write('data: {"choices":[{"delta":{"content":"Wait"}}]}\n\n');
  };
  const answer = send(session, "What is new?");
  await expect.poll(() => service.upstream.requests.length).toBeGreaterThan(0);
  expect((await change(admin, path, { status: "claimed" })).status).toBe(200);
  expect((await answer).body).toMatchObject({ status: "interrupted" });
});

it("hand-overs are hidden from people without the permission, from other tenants, and from other sessions", async () => {
  const { path } = await startWaiting();
  const member = await createColleague(admin);
  expect((await member.get("/v1/handovers")).status).toBe(403);
  expect((await change(member, path, { status: "claimed" })).status).toBe(403);
  const stranger = new Client(newIdentity(), service.baseUrl);
  expect((await stranger.get(path)).status).toBe(404);
  expect((await stranger.get("/v1/handovers")).body.handovers).toEqual([]);
  expect((await stranger.post(`${path}/messages`, { content: "Hello" })).status).toBe(404);
  const foreign = await createSite(stranger, { handover: {} });
  expect((await foreign.request("GET", pathOf(await site.createSession()))).status).toBe(404);
});
