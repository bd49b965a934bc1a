import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiResponse, Client, newIdentity, readResponse } from "#test/support/client.ts";
import { createSite, type Site } from "#test/support/embed/site.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { sized } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { isWrite, startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

let proxy: TableProxy;
let service: ScriptedService;
let people: readonly [Client, Client];
let site: Site;

beforeAll(async () => {
  proxy = await startTableProxy();
  service = await startScriptedService({
    env: {
      DYNAMODB_ENDPOINT: proxy.endpoint,
      ...{ RATE_LIMIT_EMBED_SESSION: "100000", RATE_LIMIT_TENANT: "100000" },
      ...{ EMBED_VISITOR_MESSAGES: "10000", EMBED_SESSION_MESSAGES: "10000" },
    },
  });
  const admin = new Client(newIdentity(), service.baseUrl);
  people = [admin, await createColleague(admin, "admin")];
  site = await createSite(admin, { persona: { tier: "QUICK" }, handover: { after_unanswered: null } });
  service.upstream.script = streamText(["Answer."]);
});
afterAll(() => Promise.all([service?.stop(), proxy?.stop()]));

/** Repeats a request until it is answered, as clients do with the same `Idempotency-Key`. */
async function untilAnswered(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let attempt = 0; ; attempt++) {
    const response = await send().catch(() => null);
    if (response && response.status < 500 && response.status !== 429) return response;
    if (attempt === 40) throw new Error(`No answer: ${response?.text}`);
  }
}

interface Sent {
  readonly text: string;
  readonly status: number;
}

/** Lets a visitor and two persons act at the same time, and returns what they sent and what is stored. */
async function act(random: () => number, steps: number) {
  const session = await site.createSession();
  const handover = `/v1/embed/sessions/${session}/handover`;
  await untilAnswered(() => site.request("PUT", handover, {}));
  const { handovers } = (await untilAnswered(() => people[0].get("/v1/handovers?limit=100"))).body;
  const { id } = handovers.at(-1);
  const path = `/v1/handovers/${id}`;
  const sent: Sent[] = [];

  async function actAsVisitor(): Promise<void> {
    for (let step = 0; step < steps; step++) {
      const text = `visitor ${session.slice(0, 8)} ${step}`;
      const headers = { "idempotency-key": randomUUID(), accept: "application/json" };
      if (random() < 0.15) await untilAnswered(() => site.request(random() < 0.5 ? "DELETE" : "PUT", handover, {}));
      const { status } = await untilAnswered(async () => readResponse(await site.sendMessage(session, text, headers)));
      sent.push({ text, status });
    }
  }

  async function actAsPerson(person: 0 | 1): Promise<void> {
    const client = people[person];
    const patch = (body: object) => untilAnswered(() => client.request("PATCH", path, body));
    for (let step = 0; step < steps; step++) {
      await sleep(random() * 150);
      await patch({ status: "claimed" });
      for (let n = 0; n < 2; n++) {
        const text = `person ${person} ${session.slice(0, 8)} ${step} ${n}`;
        const headers = { "idempotency-key": randomUUID() };
        const answer = await untilAnswered(() => client.post(`${path}/messages`, { content: text }, headers));
        sent.push({ text, status: answer.status });
      }
      await patch({ status: "returned" });
    }
  }

  await Promise.all([actAsVisitor(), actAsPerson(0), actAsPerson(1)]);
  proxy.faultRates = {};
  const messages = (await people[0].get(path)).body.messages as {
    role: string;
    person?: object;
    status: string;
    content: { text: string }[];
  }[];
  return { sent, messages };
}

it("a hand-over with requests at the same time and a faulty table loses and doubles no message, and none has both an answer and a person", async () => {
  const random = seededRandom(7);
  const counts = { sent: 0, held: 0, refused: 0, answers: 0 };
  for (let round = 0; round < sized({ usual: 5, full: 40 }); round++) {
    service.upstream.requests.length = 0;
    proxy.faultRates = {
      ...{ lostRequestRate: 0.03, lostResponseRate: 0.04, throttleRate: 0.03, conflictRate: 0.03 },
      random,
    };
    const { sent, messages } = await act(random, 6);
    const texts = messages.map(({ content }) => content.map(({ text }) => text).join());
    for (const { text, status } of sent) {
      const count = texts.filter((each) => each === text).length;
      expect([text, status, count]).toEqual([text, status, status < 300 ? 1 : 0]);
      counts[status < 300 ? "sent" : "refused"]++;
    }
    const answers = messages.filter(({ role, person }) => role === "assistant" && !person);
    // Each answered question has one answer, and each message for a person has none.
    expect(answers.length).toBeLessThanOrEqual(sent.filter(({ status }) => status === 200).length);
    counts.answers += answers.length;
    counts.held += sent.filter(({ status }) => status === 202).length;
  }
  const faults = Object.values(proxy.faults).reduce((sum, count) => sum + count, 0);
  console.log(`hand-over with ${faults} faults: ${JSON.stringify(counts)}`);
  expect(faults).toBeGreaterThan(20);
  expect(counts.held).toBeGreaterThan(0);
  expect(counts.answers).toBeGreaterThan(0);
});

it("a message on the way to the assistant is stored for the person who is asked for in the meantime", async () => {
  const session = await site.createSession();
  const path = `/v1/embed/sessions/${session}/handover`;
  const isRead = Promise.withResolvers<void>();
  proxy.delayOf = (caller) => (caller.endsWith("send-embed-message") ? 150 : 0);
  proxy.onCall = ({ caller, request }) => {
    if (caller.endsWith("send-embed-message") && JSON.stringify(request).includes('"handover"')) isRead.resolve();
  };
  const requests = service.upstream.requests.length;
  const sending = site.sendMessage(session, "Hello", { accept: "application/json" }).then(readResponse);
  await isRead.promise;
  expect((await site.request("PUT", path, {})).body.status).toBe("waiting");
  expect((await sending).status).toBe(202);
  proxy.delayOf = () => 0;
  proxy.onCall = () => {};
  expect(service.upstream.requests).toHaveLength(requests);
  expect((await site.getSession(session)).body.messages).toHaveLength(1);
});

it("a visitor who waits for a person costs at most half a read unit a second", async () => {
  const session = await site.createSession();
  const path = `/v1/embed/sessions/${session}/handover`;
  await site.request("PUT", path, {});
  const { body } = await site.sendMessage(session, "Hello", { accept: "application/json" }).then(readResponse);
  const poll = () => site.request("GET", `${path}?after=${body.message_id}`);
  await poll();
  const polls = 10;
  const units = { read: 0, written: 0 };
  // Stream processors work on what the tests before have left.
  proxy.onCall = (call) => {
    if (!/get-embed-handover|authorizer-embed-key/.test(call.caller)) return;
    units[isWrite(call.operation) ? "written" : "read"] += call.units;
  };
  for (let n = 0; n < polls; n++) expect((await poll()).body.messages).toEqual([]);
  const [read, written] = [units.read / polls, units.written / polls];
  console.log(`poll of a waiting visitor: ${read} read units and ${written} write units, every 6 s`);
  expect(read / 6).toBeLessThanOrEqual(0.5);
});
