import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";
import { activityOf, mentionOf, startTeamsStub, type TeamsStub } from "#test/support/teams/teams-stub.ts";
import { createChannel } from "#test/support/webhooks/channel.ts";

describe("Teams bot", () => {
  let service: ScriptedService;
  let teams: TeamsStub;
  let count = 0;

  beforeAll(async () => {
    teams = await startTeamsStub();
    service = await startScriptedService({ env: teams.settings });
  });

  afterAll(async () => {
    await service?.stop();
    await teams?.stop();
  });

  const nextId = () => String(1_600_000_000_000 + ++count);

  /** Workspace with a bot whose organization is connected by a code. */
  async function setUp() {
    const client = new Client(newIdentity(), service.baseUrl);
    const [appId, organization, person] = [randomUUID(), randomUUID(), randomUUID()];
    const secret = randomUUID();
    teams.createApp(appId, secret);
    const created = await client.post("/v1/messengers/teams/workspaces", {
      name: "Assistant",
      app: { id: appId, secret },
    });
    expect([created.status, created.body.status]).toEqual([201, "unconnected"]);
    const workspace = created.body.id as string;
    const path = new URL(created.body.request_url).pathname;
    const token = await teams.sign(appId);
    const deliver = async (activity: Record<string, unknown>, authorization = `Bearer ${token}`) =>
      fetch(service.baseUrl + path, {
        method: "POST",
        headers: { "content-type": "application/json", authorization },
        body: JSON.stringify(activity),
      });
    const person1 = { organization, id: person };
    /** Sends a message in the chat of a person with the bot. @returns the conversation there */
    async function write(text: string, as = person1, fields: Record<string, unknown> = {}) {
      const conversation = `a:29:${as.id}`;
      const place = { conversation, type: "personal" } as const;
      const activity = activityOf(teams, appId, as, place, { id: nextId(), text, ...fields });
      expect((await deliver(activity)).status).toBe(200);
      return conversation;
    }
    /** Mentions the bot in a thread of a channel. @returns the conversation of the thread */
    async function mention(text: string, thread = nextId(), as = person1, id = nextId()) {
      const conversation = thread.includes(";") ? thread : `19:general@thread.tacv2;messageid=${thread}`;
      const place = { conversation, type: "channel" } as const;
      const fields = { id, ...mentionOf(appId, text) };
      expect((await deliver(activityOf(teams, appId, as, place, fields))).status).toBe(200);
      return conversation;
    }
    async function connect() {
      const { body } = await client.post(`/v1/messengers/teams/workspaces/${workspace}/codes`, undefined);
      await write(`connect ${body.code}`);
      expect((await client.get(`/v1/messengers/teams/workspaces/${workspace}`)).body).toMatchObject({
        status: "ready",
        organization_id: organization,
      });
      return body.code as string;
    }
    /** Opens the link that the bot has sent to a person, as a user. */
    async function link(as: Client, who = person1) {
      const before = teams.inConversation(`a:29:${who.id}`).length;
      await write("Hello", who);
      const sent = () =>
        teams
          .inConversation(`a:29:${who.id}`)
          .slice(before)
          .find(({ text }) => text.includes("token="))?.text;
      await expect.poll(sent).toBeDefined();
      const [, workspace_id, code] = /workspace=([\w-]+)&amp;token=([\w-]+)"/.exec(sent() ?? "") ?? [];
      return as.post("/v1/messengers/teams/links", { workspace_id, token: code });
    }
    return { client, appId, organization, person: person1, deliver, write, mention, connect, link, workspace };
  }

  it("Teams bot refuses tokens that were not made for it, and activities of unknown service addresses and channels", async () => {
    const { appId, person, deliver } = await setUp();
    const place = { conversation: "a:1", type: "personal" } as const;
    const activity = activityOf(teams, appId, person, place, { id: nextId(), text: "Hello" });
    const forged = [
      await teams.sign(randomUUID()),
      await teams.sign(appId, { serviceurl: "https://evil.example/" }),
      await teams.sign(appId, {}, { kid: "skype", key: teams.keys.skype }),
    ];
    for (const token of forged) expect((await deliver(activity, `Bearer ${token}`)).status).toBe(401);
    const evil = "https://evil.example/";
    const signed = await teams.sign(appId, { serviceurl: evil });
    expect((await deliver({ ...activity, serviceUrl: evil }, `Bearer ${signed}`)).status).toBe(401);
    expect((await deliver({ ...activity, channelId: "webchat" })).status).toBe(401);
    expect((await deliver(activity)).status).toBe(200);
    const unknown = await fetch(`${service.baseUrl}/v1/teams/01978a3e-5c1f-7b60-9d2e-3f4a5b6c7d8e`, {
      method: "POST",
      headers: { authorization: `Bearer ${await teams.sign(appId)}` },
      body: JSON.stringify(activity),
    });
    expect(unknown.status).toBe(404);
  });

  it("Teams bot rejects a wrong secret of the app, and connects one organization by a code that works once", async () => {
    const { client, appId, write, connect, workspace, organization } = await setUp();
    const refused = await client.post("/v1/messengers/teams/workspaces", {
      name: "X",
      app: { id: appId, secret: "wrong-secret" },
    });
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, "app.secret"]);
    const place = await write("Is anyone there?");
    await write("connect not-a-valid-code-at-all");
    await expect
      .poll(() => teams.inConversation(place).map(({ text }) => text))
      .toEqual([expect.stringMatching(/^The code is unknown/)]);
    const code = await connect();
    const stranger = { organization: randomUUID(), id: randomUUID() };
    const ignored = await write(`connect ${code}`, stranger);
    const stored = await client.get(`/v1/messengers/teams/workspaces/${workspace}`);
    expect([stored.body.organization_id, stored.text.includes("secret")]).toEqual([organization, false]);
    expect((await client.post(`/v1/messengers/teams/workspaces/${workspace}/codes`, undefined)).status).toBe(409);
    expect(teams.inConversation(ignored)).toEqual([]);
  });

  it("Teams bot links a Teams account to a user by the link that it sends, and not to a user of another tenant", async () => {
    const { client, connect, link, organization, person, workspace } = await setUp();
    await connect();
    const other = { organization, id: randomUUID() };
    expect((await link(new Client(newIdentity(), service.baseUrl), other)).status).toBe(404);
    const linked = await link(client);
    expect([linked.status, linked.body]).toMatchObject([201, { account_id: person.id, workspace_id: workspace }]);
    expect((await client.get("/v1/messengers/teams/links")).body.links).toHaveLength(1);
    expect((await client.get("/v1/messengers/slack/links")).body.links).toEqual([]);
    expect((await client.delete(`/v1/messengers/slack/links/${linked.body.id}`)).status).toBe(404);
    expect((await client.delete(`/v1/messengers/teams/links/${linked.body.id}`)).status).toBe(204);
    expect((await link(client)).status).toBe(201);
    expect((await client.delete(`/v1/messengers/teams/workspaces/${workspace}`)).status).toBe(204);
    await expect.poll(async () => (await client.get("/v1/messengers/teams/links")).body.links).toEqual([]);
  });

  it("Teams bot answers a mention once as a message that is updated, and continues its thread", async () => {
    const { client, connect, link, mention, deliver, appId, person, organization } = await setUp();
    await connect();
    await link(client);
    service.upstream.script = streamText(["At ![x](https://evil.example/", "y) **noon**."], { pauseMs: 400 });
    const [thread, id] = [nextId(), nextId()];
    const conversation = await mention("When is lunch?", thread, person, id);
    await mention("When is lunch?", thread, person, id);
    const texts = () => teams.inConversation(conversation).map(({ text }) => text);
    await expect.poll(texts).toEqual(["At [x](https://evil.example/y) **noon**."]);
    service.upstream.script = streamText(["At one."]);
    // With the permission of the team, messages of the thread come without a mention; those of other threads are not for the bot.
    const reply = { conversation, type: "channel" } as const;
    await deliver(activityOf(teams, appId, person, reply, { id: nextId(), text: "And &lt;tomorrow&gt;?" }));
    const elsewhere = { conversation: `19:general@thread.tacv2;messageid=${nextId()}`, type: "channel" } as const;
    await deliver(activityOf(teams, appId, person, elsewhere, { id: nextId(), text: "Not for you" }));
    await expect.poll(texts).toHaveLength(2);
    const { conversations } = (await client.get("/v1/conversations")).body;
    expect(conversations).toHaveLength(1);
    const { messages } = (await client.get(`/v1/conversations/${conversations[0].id}/messages`)).body;
    expect(messages).toHaveLength(4);
    expect(JSON.stringify(messages)).toContain("And <tomorrow>?");
    // Another person gets no answer there, and a text in private.
    const colleague = await createColleague(client, "user");
    const other = { organization, id: randomUUID() };
    await link(colleague, other);
    await mention("Mine too?", thread, other);
    await expect.poll(() => teams.inConversation(`a:29:${other.id}`).at(-1)?.text).toMatch(/another person/);
    expect(texts()).toHaveLength(2);
  });

  it("Teams bot streams the answer in a chat, continues the chat, and starts another conversation with /new", async () => {
    const { client, connect, link, write } = await setUp();
    await connect();
    await link(client);
    service.upstream.script = streamText(["One. ", "Two. ", "Three."], { pauseMs: 900 });
    teams.calls.length = 0;
    teams.answerNext(({ body }) => body.type === "typing", { status: 429, retryAfter: 1 });
    const chat = await write("Count");
    const last = () => teams.inConversation(chat).at(-1);
    await expect.poll(() => [last()?.text, last()?.isStreaming]).toEqual(["One. Two. Three.", false]);
    const infos = teams.calls.flatMap(({ body }) => body.entities ?? []);
    expect(infos.map(({ streamType }) => streamType)).toEqual([...infos.slice(1).map(() => "streaming"), "final"]);
    const sequences = infos.flatMap(({ streamSequence }) => streamSequence ?? []).slice(1);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    service.upstream.script = streamText(["Twelve."]);
    await write("And then?");
    await expect.poll(() => last()?.text).toBe("Twelve.");
    expect((await client.get("/v1/conversations")).body.conversations).toHaveLength(1);
    service.upstream.script = streamText(["Anew."]);
    // A stream that Teams refuses or ends is completed by a message.
    teams.answerNext(({ body }) => body.type === "typing", {
      status: 403,
      error: { code: "ContentStreamNotAllowed", message: "Content stream is not allowed" },
    });
    await write("/new Another question");
    await expect.poll(() => last()?.text).toBe("Anew.");
    expect((await client.get("/v1/conversations")).body.conversations).toHaveLength(2);
  });

  it("Teams bot never mixes two organizations of two tenants", async () => {
    const [one, two] = [await setUp(), await setUp()];
    await Promise.all([one.connect(), two.connect()]);
    await Promise.all([one.link(one.client), two.link(two.client)]);
    service.upstream.script = streamText(["Hi."]);
    // The same thread in both; and a person of one organization who writes to the bot of the other.
    const thread = nextId();
    await Promise.all([one.mention("From one", thread), two.mention("From two", thread)]);
    await one.mention("Forged", thread, two.person);
    const place = { conversation: "a:9", type: "personal" } as const;
    const crossed = activityOf(teams, one.appId, one.person, place, { id: nextId(), text: "Forged" });
    expect((await two.deliver(crossed, `Bearer ${await teams.sign(one.appId)}`)).status).toBe(401);
    const apps = () =>
      teams
        .inConversation(`19:general@thread.tacv2;messageid=${thread}`)
        .map(({ appId }) => appId)
        .toSorted();
    await expect.poll(apps).toEqual([one.appId, two.appId].toSorted());
    for (const [{ client }, own, foreign] of [
      [one, "From one", "From two"],
      [two, "From two", "From one"],
    ] as const) {
      const { conversations } = (await client.get("/v1/conversations")).body;
      expect(conversations).toHaveLength(1);
      const { text } = await client.get(`/v1/conversations/${conversations[0].id}/messages`);
      expect([text.includes(own), text.includes(foreign), text.includes("Forged")]).toEqual([true, false, false]);
    }
  });

  it("Teams bot lets only a linked person who may decide an approval press the buttons of its card", async () => {
    const { client, appId, organization, person, connect, link, mention, deliver, workspace } = await setUp();
    const persona = await client.post("/v1/personas", {
      name: "Tools",
      instructions: "Help.",
      tier: "THOUGHT_PARTNER",
    });
    await client.patch(`/v1/messengers/teams/workspaces/${workspace}`, { persona_id: persona.body.id });
    const { body: policy, headers } = await client.get("/v1/policy");
    const { version: _, updated_at: __, updated_by: ___, ...rules } = policy;
    await client.put(
      "/v1/policy",
      { ...rules, approvals: { ...rules.approvals, tool_execution: "always" } },
      { "if-match": headers.get("etag") ?? "" },
    );
    await connect();
    const [decider, colleague] = [await createColleague(client, "admin"), await createColleague(client, "user")];
    const [second, third, stranger] = [
      { organization, id: randomUUID() },
      { organization, id: randomUUID() },
      { organization, id: randomUUID() },
    ];
    await link(client);
    await link(decider, second);
    await link(colleague, third);
    const pending = [
      streamText(["note"]),
      streamToolCalls(["create_note", JSON.stringify({ title: "[Lunch](https://evil.example)", body: "", tags: [] })]),
    ];
    service.upstream.script = (response, request) =>
      (pending.shift() ?? streamText(["It is noted."]))(response, request);
    const conversation = await mention("Note lunch");
    const findCard = () =>
      [...teams.messages].find(([, each]) => each.conversation === conversation && each.attachments);
    await expect.poll(findCard).toBeDefined();
    const [card = "", { attachments } = { attachments: [] }] = findCard() ?? [];
    const { actions, body } = attachments[0].content;
    expect(JSON.stringify(body)).toContain("Lunch");
    expect(body.every(({ type }: { type: string }) => type === "RichTextBlock")).toBe(true);
    const { approval_id } = actions[0].data;
    const press = async (as: typeof person, verb = "approve") => {
      const value = { action: { type: "Action.Execute", verb, data: { approval_id } }, trigger: "manual" };
      const invoke = { type: "invoke", name: "adaptiveCard/action", id: nextId(), replyToId: card, value };
      const response = await deliver(activityOf(teams, appId, as, { conversation, type: "channel" }, invoke));
      expect(response.status).toBe(200);
      return ((await response.json()) as { value?: string }).value;
    };
    const toldTo = ({ id }: typeof person) => teams.inConversation(`a:29:${id}`).at(-1)?.text;
    await press(person);
    await expect.poll(() => toldTo(person)).toMatch(/Requesters cannot decide/);
    await press(stranger);
    await expect.poll(() => toldTo(stranger)).toMatch(/^Link your Teams account/);
    await press(third);
    await expect.poll(() => toldTo(third)).toMatch(/Your roles do not include/);
    expect(await press({ ...second, organization: randomUUID() })).toBeUndefined();
    expect((await client.get(`/v1/approvals/${approval_id}`)).body.status).toBe("pending");
    expect(await press(second)).toBe("Your decision is applied.");
    await expect
      .poll(async () => (await client.get(`/v1/approvals/${approval_id}`)).body)
      .toMatchObject({ status: "approved", decided_by: decider.identity.user });
    await expect
      .poll(() => JSON.stringify(teams.messages.get(card)?.attachments))
      .toMatch(/Approved by Ada.*"actions":\[\]/);
    const last = () => teams.inConversation(conversation).at(-1)?.text;
    await expect.poll(last).toBe("It is noted.");
  });

  it("Teams bot reads the files that are attached to a message, and names the unreadable files", async () => {
    const { client, connect, link, write } = await setUp();
    await connect();
    await link(client);
    service.upstream.script = streamText(["At 14:32."]);
    service.upstream.requests.length = 0;
    const tides = "High tide is at 14:32 in Brest.";
    const fileOf = (name: string, downloadUrl: string) => ({
      contentType: "application/vnd.microsoft.teams.file.download.info",
      contentUrl: "https://example.sharepoint.com/personal/ada/file",
      name,
      content: { downloadUrl, uniqueId: randomUUID(), fileType: "txt" },
    });
    const attachments = [
      { contentType: "text/html", content: "<p>When is high tide?</p>" },
      fileOf("tides.txt", teams.upload("tides.txt", tides)),
      fileOf("map.zip", teams.upload("map.zip", "PK")),
      fileOf("secret.txt", "http://169.254.169.254/latest/meta-data"),
    ];
    const chat = await write("When is high tide?", undefined, { attachments });
    const answer = () => teams.inConversation(chat).at(-1);
    await expect.poll(() => answer()?.text).toMatch(/^At 14:32\./);
    await expect.poll(() => answer()?.isStreaming).toBe(false);
    expect(answer()?.text.split("\n\n").slice(1)).toEqual([
      expect.stringMatching(/^map\.zip was not read: This format cannot be read/),
      expect.stringMatching(/^secret\.txt was not read: Teams did not send it \(address_not_allowed\)/),
    ]);
    expect(JSON.stringify(service.upstream.requests.map(({ body }) => body.messages))).toContain(tides);
  });

  it("Teams bot posts alerts with their thread, updates them, and continues the thread of an alert with its context", async () => {
    const { client, appId, connect, link, mention, workspace } = await setUp();
    const channel = await createChannel({ signature_scheme: "token" }, client);
    const place = { workspace_id: workspace, channel: "19:ops@thread.tacv2" };
    const configure = (as: Client, id: string) => as.patch(`/v1/webhooks/${id}`, { teams: place });
    expect((await configure(client, channel.id)).status).toBe(409);
    await connect();
    await link(client);
    expect((await configure(client, channel.id)).body.teams).toMatchObject(place);
    const other = new Client(newIdentity(), service.baseUrl);
    expect((await configure(other, (await createChannel({}, other)).id)).status).toBe(404);
    const labels = { alertname: "Errors", service: "shop", severity: "critical" };
    const raise = (status: string) => {
      const alert = { status, labels, annotations: { summary: "Too many <b>errors</b>" }, fingerprint: "f" };
      const raw = JSON.stringify({ status, groupKey: "g", commonLabels: labels, alerts: [alert] });
      return channel.post(raw, { authorization: `Bearer ${channel.registration.secret}` });
    };
    const posted = () => [...teams.messages].filter(([, message]) => message.conversation.startsWith(place.channel));
    expect((await raise("firing")).status).toBe(200);
    await expect.poll(() => posted().length).toBe(1);
    const [root, first] = posted()[0] ?? ["", { appId: "", text: "" }];
    expect(first.appId).toBe(appId);
    expect(first.text).toContain("<b>CRITICAL · open · Errors</b>");
    expect(first.text).toContain("&lt;b&gt;errors&lt;/b&gt;");
    await raise("resolved");
    await expect.poll(() => teams.messages.get(root)?.text).toContain("CRITICAL · resolved");
    const conversation = `${place.channel};messageid=${root}`;
    expect(posted().map(([, message]) => message.conversation)).toEqual([conversation, conversation]);
    service.upstream.script = streamText(["Errors of the shop."]);
    await mention("What did the alert say?", conversation);
    await expect.poll(() => posted().at(-1)?.[1].text).toBe("Errors of the shop.");
    const [alert] = await channel.messages();
    const { messages } = (await client.get(`/v1/conversations/${channel.conversation_id}/messages?limit=100`)).body;
    const question = messages.find((each: { role: string }) => each.role === "user");
    expect(question.parent_id).toBe(alert?.message_id);
  });

  it("Teams bot stores each of 50 mentions that arrive in a burst before it answers any, and answers each exactly once", async () => {
    const { client, connect, link, mention } = await setUp();
    await connect();
    await link(client);
    // No answer is generated before all mentions have been received.
    const received = Promise.withResolvers<void>();
    service.upstream.script = async (response, request) => {
      await received.promise;
      await streamText(["Done."])(response, request);
    };
    const threads = await Promise.all(Array.from({ length: 50 }, (_, index) => mention(`Burst of ${index}`)));
    const stored = findItemsContaining(service, "Burst of").filter((item) => item.includes("messenger-event"));
    const numbers = stored.map((item) => Number(/Burst of (\d+)/.exec(item)?.[1]));
    expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 50 }, (_, index) => index));
    const answered = () =>
      threads.filter((thread) => teams.inConversation(thread).some(({ text }) => text === "Done."));
    expect(answered()).toEqual([]);
    received.resolve();
    await expect.poll(() => answered().length).toBe(50);
    expect(threads.filter((thread) => teams.inConversation(thread).length !== 1)).toEqual([]);
  });
});
