import { createHmac, randomUUID } from "node:crypto";
import { beforeAll, expect, it, vi } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite, type Site } from "#test/support/embed/site.ts";
import { waitForQuestion } from "#test/support/embed/wait-for-question.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { createColleague } from "#test/support/people.ts";

let owner: Client;
let site: Site;
let keyPath: string;

beforeAll(async () => {
  owner = new Client(newIdentity());
  site = await createSite(owner, { persona: { tier: "THINKING" }, session_days: 30 });
  keyPath = `/v1/tenant/embed-keys/${site.key.id}`;
});

const start = async (body: Record<string, unknown> = {}) => (await site.startSession(body)).body;
const listSessions = async (query = "") => (await owner.get(`${keyPath}/sessions${query}`)).body;
const listQuestions = async (status = "open") =>
  (await owner.get(`${keyPath}/questions?status=${status}`)).body.questions;

async function ask(session: string, content: string): Promise<string> {
  const response = await site.sendMessage(session, content, { accept: "application/json" });
  return ((await response.json()) as { message_id: string }).message_id;
}

it("sessions of a website's visitors are listed for the owner of the key with page, latest question and ratings", async () => {
  const { id } = await start({ page: "https://shop.example.com/returns?order=17#form", visitor: { id: "anna" } });
  const answer = await ask(id, "My card is 4111 1111 1111 0535. Is it accepted?");
  await site.request("POST", `/v1/embed/sessions/${id}/messages/${answer}/feedback`, { rating: "up" });
  const [session] = (await listSessions()).sessions;
  expect(session).toMatchObject({
    is_identified: true,
    origin: "https://shop.example.com",
    page: "https://shop.example.com/returns",
    messages_sent: 1,
    ratings: { up: 1, down: 0 },
  });
  expect(session.id).not.toBe(id);
  expect(session.last_question).toContain("Is it accepted?");
  expect(session.last_question).not.toContain("4111");
  expect(Date.parse(session.deleted_at) - Date.now()).toBeGreaterThan(29 * 86_400_000);
  expect(Date.parse(session.expires_at) - Date.now()).toBeLessThan(86_400_001);
  const { body } = await owner.get(`${keyPath}/sessions/${session.id}?limit=1`);
  expect(body.session).toEqual(session);
  expect(body.messages).toMatchObject([{ role: "user", rating: null }]);
  expect(JSON.stringify(body.messages)).toContain("Is it accepted?");
  expect(JSON.stringify(body.messages)).not.toContain("4111");
  const next = await owner.get(`${keyPath}/sessions/${session.id}?cursor=${body.next_cursor}`);
  expect(next.body.messages).toMatchObject([{ role: "assistant", rating: "up" }]);
});

it("sessions of a website's visitors omit a page whose origin differs from the browser's origin", async () => {
  await start({ page: "https://other.example.com/secret" });
  expect((await listSessions("?limit=1")).sessions).toMatchObject([{ page: null, is_identified: false }]);
});

it("sessions of a website's visitors are listed page by page for one embed key only", async () => {
  const other = await createSite(owner, { origin: "https://other.example.com" });
  await other.startSession();
  const ids: string[] = [];
  for (let query = "?limit=1"; query; ) {
    const { sessions, next_cursor } = await listSessions(query);
    ids.push(...sessions.map(({ id }: { id: string }) => id));
    query = next_cursor ? `?limit=1&cursor=${next_cursor}` : "";
  }
  expect(ids).toHaveLength(2);
  const foreign = await owner.get(`/v1/tenant/embed-keys/${other.key.id}/sessions/${ids[0]}`);
  expect(foreign.status).toBe(404);
  expect((await owner.get(`/v1/tenant/embed-keys/${randomUUID()}/sessions`)).status).toBe(404);
});

it("sessions of a website's visitors cannot be listed or read by users without the required permission", async () => {
  const member = await createColleague(owner);
  expect((await member.get(`${keyPath}/sessions`)).status).toBe(403);
  expect((await member.get(`${keyPath}/questions`)).status).toBe(403);
});

it("sessions of a website's visitors are gone for owner and visitor after their deletion", async () => {
  const { id } = await start();
  const [session] = (await listSessions("?limit=1")).sessions;
  const path = `${keyPath}/sessions/${session.id}`;
  expect((await owner.delete(path)).status).toBe(204);
  expect((await owner.get(path)).status).toBe(404);
  expect((await owner.delete(path)).status).toBe(404);
  expect((await site.getSession(id)).status).toBe(410);
});

it("unanswered questions of visitors are grouped by their words, can be marked as answered, and reopen when asked again without an answer", async () => {
  const { id } = await start();
  await ask(id, "Hello!");
  await ask(id, "Do you ship bicycles to Iceland?");
  await waitForQuestion(owner, keyPath);
  await ask((await start()).id, "shipping a bicycle to iceland");
  const question = await waitForQuestion(owner, keyPath, 2);
  expect(question).toMatchObject({ question: "shipping a bicycle to iceland", status: "open", document: null });
  expect(question.reasons.no_source + question.reasons.unknown).toBe(2);
  expect(question.last_asked_at > question.first_asked_at).toBe(true);
  const { collection, document } = await addIndexedDocument(owner, { title: "Iceland", text: "Bicycles: 3 weeks." });
  const answered = { status: "answered", document: { collection_id: collection, document_id: document } };
  const path = `${keyPath}/questions/${question.id}`;
  expect((await owner.patch(path, answered)).body).toMatchObject({ id: question.id, ...answered });
  expect(await listQuestions("answered")).toMatchObject([{ id: question.id }]);
  expect((await listQuestions()).map(({ id: open }: { id: string }) => open)).not.toContain(question.id);
  const missing = { status: "answered", document: { collection_id: collection, document_id: randomUUID() } };
  expect((await owner.patch(path, missing)).status).toBe(404);
  const unsearched = await createSite(owner, { persona: { tier: "QUICK" } });
  expect((await owner.get(`/v1/tenant/embed-keys/${unsearched.key.id}/questions`)).body.questions).toEqual([]);
  await ask((await start()).id, "Ship bicycles Iceland?");
  await vi.waitFor(async () => expect((await listQuestions())[0]?.count).toBe(3), { timeout: 180_000, interval: 50 });
});

it("unanswered questions of visitors are listed by topic with the nearest of the persona's collections that the whole tenant can read", async () => {
  const { id: collection } = (
    await owner.post("/v1/knowledge/collections", { name: "Sea freight", readers: ["tenant"] })
  ).body;
  const listed = await createSite(owner, { persona: { tier: "THINKING", collection_ids: [collection] } });
  const path = `/v1/tenant/embed-keys/${listed.key.id}`;
  const session = await listed.createSession();
  const questions = ["How much is shipping a kettle to Greenland?", "Is Greenland on the map of your kettle tours?"];
  for (const question of questions) await listed.sendMessage(session, question, { accept: "application/json" });
  const listTopics = async () => (await owner.get(`${path}/questions?topics=true`)).body;
  const pollOptions = { timeout: 180_000, interval: 50 };
  await vi.waitFor(async () => expect((await listTopics()).questions).toHaveLength(2), pollOptions);
  const freight = { title: "Shipping of kettles", text: "We ship kettles by sea." };
  await addIndexedDocument(owner, freight, collection);
  await addIndexedDocument(owner, { title: "Kettle shipping to Greenland", text: "Kettle, kettle, Greenland." });
  const { questions: entries, topics } = await listTopics();
  expect(topics).toEqual([
    {
      question: questions[1],
      question_ids: entries.map(({ id }: { id: string }) => id),
      count: 2,
      last_asked_at: entries[0].last_asked_at,
      collection: { id: collection, name: "Sea freight" },
    },
  ]);
  expect((await owner.get(`${path}/questions`)).body.topics).toBeNull();
});

it("unanswered questions of visitors include questions whose answer was rated down, once for each answer", async () => {
  const quick = await createSite(owner, { persona: { tier: "QUICK" } });
  const quickPath = `/v1/tenant/embed-keys/${quick.key.id}`;
  const session = await quick.createSession();
  const reply = await quick.sendMessage(session, "What is 2 + 2?", { accept: "application/json" });
  const { message_id } = (await reply.json()) as { message_id: string };
  const rate = (rating: string) =>
    quick.request("POST", `/v1/embed/sessions/${session}/messages/${message_id}/feedback`, { rating });
  for (const rating of ["up", "down", "up", "down"]) expect((await rate(rating)).status).toBe(200);
  const question = await waitForQuestion(owner, quickPath);
  expect(question.reasons).toEqual({ no_source: 0, unknown: 0, disliked: 1 });
});

it("session of a website's visitor starts without an origin only for a signed visitor", async () => {
  const post = (body: object) =>
    fetch(`${site.baseUrl}/v1/embed/sessions`, {
      method: "POST",
      headers: { "x-embed-key": site.key.key, "content-type": "application/json", "idempotency-key": randomUUID() },
      body: JSON.stringify(body),
    });
  const sign = (id: string) => createHmac("sha256", site.key.visitor_secret).update(id).digest("hex");
  for (const body of [{}, { visitor: { id: "anna" } }, { session_id: (await start()).id }]) {
    const response = await post(body);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, "origin_not_allowed"]);
  }
  expect((await post({ visitor: { id: "anna", signature: sign("anna") } })).status).toBe(201);
});

it("answers to all visitors of a website stop at its tokens a day until the owner raises them", async () => {
  const own = await createSite(owner, { daily_tokens: 1 });
  const path = `/v1/tenant/embed-keys/${own.key.id}`;
  const send = async () => own.sendMessage(await own.createSession(), "Hello", { accept: "application/json" });
  expect((await send()).status).toBe(200);
  const refused = await vi.waitFor(
    async () => {
      const response = await send();
      expect(response.status).toBe(429);
      return response;
    },
    { timeout: 180_000 },
  );
  expect(await refused.json()).toMatchObject({
    code: "quota_exceeded",
    quota: { unit: "tokens", window: "day", limit: 1 },
  });
  expect((await owner.patch(path, { daily_tokens: 1_000_000 })).body).toMatchObject({ daily_tokens: 1_000_000 });
  expect((await send()).status).toBe(200);
  expect((await owner.patch(path, { daily_tokens: 0 })).status).toBe(200);
  expect((await send()).status).toBe(429);
  expect((await createSite(owner)).key.daily_tokens).toBe(5_000_000);
});
