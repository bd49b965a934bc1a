import { afterAll, beforeAll, expect, it } from "vitest";
import { findVersionFor } from "#shared/personas/rollouts.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite } from "#test/support/embed/site.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";
import { createKeyClient } from "#test/support/tenancy/key-client.ts";

let table: TableProxy;
let service: ScriptedService;
beforeAll(async () => {
  table = await startTableProxy();
  service = await startScriptedService({
    script: streamText(["Noted."]),
    env: { DYNAMODB_ENDPOINT: table.endpoint, MESSAGE_SEARCH: "off", RATE_LIMIT_EMBED_SESSION: "1000" },
  });
});
afterAll(async () => {
  await service?.stop();
  await table?.stop();
});

const newOwner = () => new Client(newIdentity(), service.baseUrl);

/** Creates a persona whose instructions and number of each version are the same. */
async function createVersions(owner: Client, count: number, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { name: "Guide", instructions: "Version 1.", tier: "QUICK", ...fields };
  const { id } = (await owner.post("/v1/personas", body)).body;
  for (let n = 2; n <= count; n++) {
    await owner.patch(`/v1/personas/${id}`, { instructions: `Version ${n}.`, publish: false });
  }
  return id;
}

const startConversation = async (client: Client, persona_id: string): Promise<string> =>
  (await client.post("/v1/conversations", { title: "x", persona_id })).body.id;

/** Asks a question, and returns the version in the prompt and the one that the stored answer names. */
async function ask(client: Client, conversation_id: string, fields: Record<string, unknown> = {}) {
  const from = service.upstream.requests.length;
  const { status, body } = await client.post(
    "/v1/runtime/chat",
    { conversation_id, content: "Hello", tier: "QUICK", ...fields },
    { accept: "application/json" },
  );
  const prompts = service.upstream.requests.slice(from).map(({ body: sent }) => JSON.stringify(sent.messages));
  const prompted = prompts.flatMap((prompt) => /Version (\d+)\./.exec(prompt)?.[1] ?? []);
  return { status, body, prompted: prompted.map(Number), stored: body.persona_version as number | undefined };
}

it("draft of a persona answers its owner and administrators who name it, and is stored with the answer", async () => {
  const admin = newOwner();
  const owner = await createColleague(admin);
  const persona = await createVersions(owner, 2, { visibility: "org" });
  for (const client of [owner, admin]) {
    const conversation = await startConversation(client, persona);
    expect(await ask(client, conversation)).toMatchObject({ prompted: [1], stored: 1 });
    expect(await ask(client, conversation, { persona_version: 2 })).toMatchObject({ prompted: [2], stored: 2 });
    expect(await ask(client, conversation)).toMatchObject({ prompted: [1], stored: 1 });
    const unknown = await ask(client, conversation, { persona_version: 3 });
    expect([unknown.status, unknown.body.errors[0].path]).toEqual([400, "persona_version"]);
    const { messages } = (await client.get(`/v1/conversations/${conversation}/messages`)).body;
    const versions = messages.map(({ persona_version }: { persona_version?: number }) => persona_version);
    expect(versions).toEqual([undefined, 1, undefined, 2, undefined, 1]);
  }
});

it("draft of a persona is tried with its own tier", async () => {
  const owner = newOwner();
  const persona = await createVersions(owner, 1);
  await owner.patch(`/v1/personas/${persona}`, { tier: "RESEARCH", publish: false });
  const conversation = await startConversation(owner, persona);
  const tierOf = async (version: number) =>
    (await ask(owner, conversation, { persona_version: version, tier: undefined })).body.tier;
  expect([await tierOf(1), await tierOf(2)]).toEqual(["QUICK", "RESEARCH"]);
});

it("draft of a persona is refused to members, grantees and API keys, with and without a right to the conversation", async () => {
  const owner = newOwner();
  const persona = await createVersions(owner, 2, { visibility: "public" });
  const [member, grantee] = [await createColleague(owner), await createColleague(owner)];
  const key = await createKeyClient(owner, { preset: "administrator" });
  const shared = await startConversation(owner, persona);
  await shareConversation(owner, shared, grantee, "WRITE");
  const places: readonly (readonly [Client, string])[] = [
    [member, await startConversation(member, persona)],
    [grantee, shared],
    [key, await startConversation(key, persona)],
  ];
  for (const [client, conversation] of places) {
    for (const persona_version of [1, 2]) {
      const { status, prompted, body } = await ask(client, conversation, { persona_version });
      expect([status, prompted, body.code]).toEqual([403, [], "forbidden"]);
    }
    expect(await ask(client, conversation)).toMatchObject({ status: 200, prompted: [1], stored: 1 });
  }
  const none = await ask(member, await member.createConversation(), { persona_version: 2 });
  expect([none.status, none.body.errors[0].code]).toEqual([400, "no_persona"]);
});

it("version that is published to groups answers their members, and others get the one of everybody", async () => {
  const owner = newOwner();
  const persona = await createVersions(owner, 2, { visibility: "org" });
  const [member, other] = [await createColleague(owner), await createColleague(owner)];
  const group = (await owner.post("/v1/groups", { name: "Pilots", member_ids: [member.identity.user] })).body.id;
  await owner.post(`/v1/personas/${persona}/versions/2/publish`, { group_ids: [group] });
  const places = [await startConversation(member, persona), await startConversation(other, persona)] as const;
  expect(await ask(member, places[0])).toMatchObject({ prompted: [2], stored: 2 });
  expect(await ask(other, places[1])).toMatchObject({ prompted: [1], stored: 1 });
  await owner.delete(`/v1/personas/${persona}/versions/2/publish`);
  expect(await ask(member, places[0])).toMatchObject({ prompted: [1], stored: 1 });
});

it("share of conversations stays with its version, for users and visitors, until everybody gets another one", async () => {
  const owner = newOwner();
  const site = await createSite(owner, { persona: { instructions: "Version 1." } });
  const persona = site.key.persona_id;
  await owner.patch(`/v1/personas/${persona}`, { instructions: "Version 2.", publish: false });
  await owner.post(`/v1/personas/${persona}/versions/2/publish`, { percent: 50 });
  const { version, rollouts } = (await owner.get(`/v1/personas/${persona}`)).body;
  const expected = (conversationId: string) =>
    findVersionFor({ id: persona, version, rollouts }, { conversationId, groupIds: new Set() });
  const seen = new Map<string, number>();
  for (let n = 0; n < 12; n++) {
    const conversation = await startConversation(owner, persona);
    const first = await ask(owner, conversation);
    expect(first).toMatchObject({ prompted: [expected(conversation)], stored: expected(conversation) });
    expect((await ask(owner, conversation)).stored).toBe(first.stored);
    seen.set(conversation, first.stored ?? 0);
  }
  // The probability that all twelve get the same version is 1 in 2,048.
  expect(new Set(seen.values())).toEqual(new Set([1, 2]));
  for (let n = 0; n < 4; n++) {
    const session = await site.createSession();
    const versions: unknown[] = [];
    for (const content of ["Hello", "And now?"]) {
      const from = service.upstream.requests.length;
      await site.chat(session, content);
      const prompt = JSON.stringify(service.upstream.requests[from]?.body.messages);
      versions.push(/Version (\d)\./.exec(prompt)?.[1]);
    }
    expect(versions[1]).toBe(versions[0]);
  }
  await owner.patch(`/v1/personas/${persona}`, { instructions: "Version 3." });
  for (const conversation of seen.keys()) expect((await ask(owner, conversation)).stored).toBe(3);
});

it("usage, feedback and events name the version of the persona that answered", async () => {
  const owner = newOwner();
  const persona = await createVersions(owner, 2);
  const conversation_id = await startConversation(owner, persona);
  const { message_id } = (await ask(owner, conversation_id)).body;
  for (let n = 0; n < 2; n++) await ask(owner, conversation_id, { persona_version: 2 });
  const feedback = await owner.post("/v1/feedback", { conversation_id, message_id, rating: "up" });
  expect(feedback.body).toMatchObject({ persona_id: persona, persona_version: 1 });
  const other = (await ask(owner, await owner.createConversation())).body;
  const elsewhere = { conversation_id: other.conversation_id, message_id: other.message_id };
  expect((await owner.post("/v1/feedback", { ...elsewhere, rating: "down" })).body.persona_version).toBeNull();
  const listed = (await owner.get(`/v1/feedback?persona_id=${persona}`)).body.feedback;
  expect(listed).toEqual([feedback.body]);
  await expect
    .poll(async () => (await owner.get("/v1/usage?group_by=persona,persona_version")).body.usage)
    .toMatchObject([
      { persona_id: persona, persona_version: 1, requests: 1 },
      { persona_id: persona, persona_version: 2, requests: 2 },
      { persona_id: null, persona_version: null, requests: 1 },
    ]);
});

it("turn reads the persona once with any number of versions and drafts, and one item more for a version of a share", async () => {
  const owner = newOwner();
  const persona = await createVersions(owner, 1);
  /** Returns the sort keys of what a turn in a new conversation read of the persona. */
  const readsOfTurn = async () => {
    const conversation = await startConversation(owner, persona);
    const read: string[] = [];
    table.onCall = ({ caller, operation, request }) => {
      if (!caller.includes("start-chat") || !/Get|Query/.test(operation)) return;
      const keys = [
        ...JSON.stringify(request).matchAll(/"pk":\{"S":"[^"]*#persona(?:s|#[^"]*)"\},"sk":\{"S":"([^"]*)"/g),
      ];
      read.push(...keys.map(([, sk = ""]) => sk));
    };
    await ask(owner, conversation);
    delete table.onCall;
    return read;
  };
  const readsOfTurns = async () => {
    const turns: string[][] = [];
    while (turns.length < 6) turns.push(await readsOfTurn());
    return turns;
  };
  expect(await readsOfTurns()).toEqual(Array(6).fill([persona]));
  for (let n = 2; n <= 12; n++)
    await owner.patch(`/v1/personas/${persona}`, { greeting: `${n}`, publish: n % 2 === 0 });
  expect(await readsOfTurns()).toEqual(Array(6).fill([persona]));
  await owner.post(`/v1/personas/${persona}/versions/3/publish`, { percent: 99 });
  // One of a hundred conversations gets the version of everybody.
  const shared = (await readsOfTurns()).filter((read) => read.length > 1);
  expect(shared.length).toBeGreaterThanOrEqual(3);
  expect(shared).toEqual(shared.map(() => [persona, "000000003"]));
});
