import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { listAuditEvents } from "#test/support/governance/audit.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import {
  actionBody,
  eventBody,
  type SlackStub,
  signSlack,
  slackApp,
  startSlackStub,
} from "#test/support/slack/slack-stub.ts";
import { findItemsContaining } from "#test/support/tables/table-contents.ts";
import { createChannel } from "#test/support/webhooks/channel.ts";

describe("Slack app", () => {
  let service: ScriptedService;
  let slack: SlackStub;
  let count = 0;

  beforeAll(async () => {
    slack = await startSlackStub();
    service = await startScriptedService({
      env: slack.settings,
    });
  });

  afterAll(async () => {
    await service?.stop();
    await slack?.stop();
  });

  /** Workspace with an app, and a person there who is linked with a user. */
  async function setUp(team: string, fields: Record<string, unknown> = {}) {
    const client = new Client(newIdentity(), service.baseUrl);
    const app = slack.createApp(team);
    const created = await client.post("/v1/messengers/slack/workspaces", { name: team, ...app, ...fields });
    expect([created.status, created.body.status, created.body.organization_id]).toEqual([201, "ready", team]);
    const path = new URL(created.body.request_url).pathname;
    const deliver = (body: string, headers: Record<string, string> = signSlack(app.signing_secret, body)) =>
      fetch(service.baseUrl + path, {
        method: "POST",
        headers: {
          "content-type": body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded",
          ...headers,
        },
        body,
      });
    const nextTs = (): string => `1800000${String(++count).padStart(3, "0")}.000200`;
    /** Sends a mention. @returns the time of its thread */
    async function mention(
      text: string,
      place: { ts?: string; thread_ts?: string; user?: string; files?: readonly unknown[] } = {},
    ) {
      const { ts = nextTs(), user = "U1" } = place;
      const [thread_ts, channel] = [place.thread_ts ?? ts, "C1"];
      const event = {
        type: "app_mention",
        user,
        text: `<@UBOT> ${text}`,
        ts,
        channel,
        ...(thread_ts !== ts && { thread_ts }),
        ...(place.files && { files: place.files }),
      };
      expect((await deliver(eventBody(team, event))).status).toBe(200);
      return thread_ts;
    }
    /** Opens the link that the app has sent to a person, as a user. */
    async function link(as: Client, user = "U1") {
      await mention("Hello", { user });
      const sent = () =>
        slack
          .callsOf("chat.postEphemeral")
          .findLast(({ fields, token }) => fields.user === user && token === app.bot_token);
      await expect.poll(sent).toBeDefined();
      const [, workspace_id, token] = /workspace=([\w-]+)&token=([\w-]+)\|/.exec(sent()?.fields.text) ?? [];
      return as.post("/v1/messengers/slack/links", { workspace_id, token });
    }
    return { client, app, deliver, mention, link, nextTs, team, workspace: created.body.id as string };
  }

  it("Slack app verifies signatures, rejects outdated signatures, and answers the URL challenge", async () => {
    const { app, deliver } = await setUp("T-SIGN");
    const body = JSON.stringify({ type: "url_verification", token: "legacy", challenge: "c-1" });
    const valid = await deliver(body);
    expect([valid.status, await valid.json()]).toEqual([200, { challenge: "c-1" }]);
    // A minute beyond the tolerance of five, because the requests take time.
    const old = Math.floor(Date.now() / 1_000) - 360;
    for (const headers of [
      {},
      signSlack("0".repeat(32), body),
      signSlack(app.signing_secret, `${body} `),
      signSlack(app.signing_secret, body, old),
      signSlack(app.signing_secret, body, old + 720),
      { ...signSlack(app.signing_secret, body), "x-slack-request-timestamp": String(old + 350) },
    ]) {
      expect((await deliver(body, headers as Record<string, string>)).status).toBe(401);
    }
    const unknown = await fetch(`${service.baseUrl}/v1/slack/01978a3e-5c1f-7b60-9d2e-3f4a5b6c7d8e`, {
      method: "POST",
      headers: signSlack(app.signing_secret, body),
      body,
    });
    expect(unknown.status).toBe(404);
  });

  it("Slack app keeps secrets out of responses, and refuses invalid tokens and tokens of another team", async () => {
    const { client, app, workspace } = await setUp("T-SECRET");
    const { text } = await client.get(`/v1/messengers/slack/workspaces/${workspace}`);
    expect(text).not.toContain(app.bot_token);
    expect(text).not.toContain(app.signing_secret);
    const other = slack.createApp("T-ELSEWHERE");
    const moved = await client.request("PATCH", `/v1/messengers/slack/workspaces/${workspace}`, {
      bot_token: other.bot_token,
    });
    expect(moved.status).toBe(409);
    const refused = await client.post("/v1/messengers/slack/workspaces", { name: "X", bot_token: "xoxb-0000000000" });
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, "bot_token"]);
  });

  it("Slack app links a Slack account to a user once by the link that it sends, and not to a user of another tenant", async () => {
    const { client, link, mention } = await setUp("T-LINK");
    const foreign = await link(new Client(newIdentity(), service.baseUrl), "U7");
    expect(foreign.status).toBe(404);
    const linked = await link(client);
    expect([linked.status, linked.body]).toMatchObject([201, { account_id: "U1", account_name: "Ada U1" }]);
    const sent = slack.callsOf("chat.postEphemeral").findLast(({ fields }) => fields.user === "U1");
    const [, workspace_id, token] = /workspace=([\w-]+)&token=([\w-]+)\|/.exec(sent?.fields.text) ?? [];
    expect((await client.post("/v1/messengers/slack/links", { workspace_id, token })).status).toBe(404);
    expect((await client.get("/v1/messengers/slack/links")).body.links).toHaveLength(1);
    const unlinked = await client.request("DELETE", `/v1/messengers/slack/links/${linked.body.id}`);
    expect(unlinked.status).toBe(204);
    slack.calls.length = 0;
    await mention("Am I still linked?");
    await expect.poll(() => slack.callsOf("chat.postEphemeral")[0]?.fields.text).toMatch(/Link your Slack account/);
    expect((await link(client)).status).toBe(201);
    expect((await client.request("DELETE", `/v1/messengers/slack/workspaces/${workspace_id}`)).status).toBe(204);
    await expect.poll(async () => (await client.get("/v1/messengers/slack/links")).body.links).toEqual([]);
  });

  it("Slack app answers in a channel from knowledge of the whole tenant only, and in a direct message from that of the person", async () => {
    const { client, link, mention, nextTs, deliver, team } = await setUp("T-READERS");
    await link(client);
    const { body: group } = await client.post("/v1/groups", {
      ...{ name: "Keepers", roles: [], member_ids: [client.identity.user] },
    });
    for (const [name, readers, text] of [
      ["Own", [], "The lamp of the lighthouse burns colza."],
      ["Group", [`group:${group.id}`], "The lamp of the lighthouse burns paraffin."],
      ["All", ["tenant"], "The lamp of the lighthouse burns acetylene."],
    ] as const) {
      const { body } = await client.post("/v1/knowledge/collections", { name, readers });
      await addIndexedDocument(client, { title: `Oil of ${name}`, text }, body.id);
    }
    service.upstream.script = streamText(["Oil [1]."]);
    const promptOf = async (send: () => Promise<unknown>) => {
      const start = service.upstream.requests.length;
      await send();
      const prompt = () => JSON.stringify(service.upstream.requests.slice(start).map(({ body }) => body));
      await expect.poll(prompt).toContain("acetylene");
      return prompt();
    };
    const question = "What does the lamp of the lighthouse burn?";
    const inChannel = await promptOf(() => mention(question));
    expect(inChannel).not.toMatch(/colza|paraffin|Oil of (?:Own|Group)/);
    const direct = { type: "message", channel_type: "im", user: "U1", text: question, ts: nextTs(), channel: "D1" };
    const inPrivate = await promptOf(() => deliver(eventBody(team, direct, "Ev-readers")));
    expect(inPrivate).toContain("colza");
    expect(inPrivate).toContain("paraffin");
  });

  it("Slack app answers a mention once with a streamed message, and continues the conversation in the thread", async () => {
    const { client, link, mention, nextTs, deliver, team } = await setUp("T-CHAT");
    await link(client);
    service.upstream.script = streamText(["Use <!chan", "nel> at ", "**noon**."], { pauseMs: 400 });
    const thread = await mention("When is lunch?");
    // A retry, and the second event of a mention in a channel.
    await mention("When is lunch?", { ts: thread });
    const again = {
      type: "message",
      channel_type: "channel",
      user: "U1",
      text: "<@UBOT> When is lunch?",
      ts: thread,
      channel: "C1",
    };
    await deliver(eventBody(team, again, "Ev2"));
    await expect.poll(() => slack.inThread(thread)[0]?.isStreaming === false).toBe(true);
    expect(slack.inThread(thread)).toMatchObject([{ text: "Use &lt;!channel> at **noon**.", isStreaming: false }]);
    const methods = slack.calls
      .filter(({ fields }) => fields.thread_ts === thread || fields.ts)
      .map(({ method }) => method);
    expect(methods).toEqual(expect.arrayContaining(["chat.startStream", "chat.stopStream"]));
    service.upstream.script = streamText(["At one."]);
    const reply = {
      type: "message",
      channel_type: "channel",
      user: "U1",
      text: "And tomorrow?",
      ts: nextTs(),
      thread_ts: thread,
      channel: "C1",
    };
    await deliver(eventBody(team, reply, "Ev3"));
    // A message of another thread is not for the app.
    await deliver(eventBody(team, { ...reply, ts: nextTs(), thread_ts: nextTs() }, "Ev4"));
    await expect
      .poll(() => slack.inThread(thread).map(({ text }) => text))
      .toEqual(["Use &lt;!channel> at **noon**.", "At one."]);
    const { conversations } = (await client.get("/v1/conversations")).body;
    expect(conversations).toHaveLength(1);
    const { messages } = (await client.get(`/v1/conversations/${conversations[0].id}/messages`)).body;
    expect(messages).toHaveLength(4);
    expect(service.upstream.requests.at(-1)?.body.messages.map(({ content }: { content: string }) => content)).toEqual(
      expect.arrayContaining(["When is lunch?", expect.stringContaining("And tomorrow?")]),
    );
  });

  it("Slack app reads replies that are also sent to the channel, and the text and files of shared messages", async () => {
    const { client, link, mention, nextTs, deliver, team } = await setUp("T-SHARED");
    await link(client);
    service.upstream.script = streamText(["Yes."]);
    const thread = await mention("Is it open?");
    await expect.poll(() => slack.inThread(thread).map(({ text }) => text)).toEqual(["Yes."]);
    const reply = { type: "message", channel_type: "channel", user: "U1", channel: "C1", thread_ts: thread };
    const broadcast = { ...reply, subtype: "thread_broadcast", text: "And on Sunday?", ts: nextTs() };
    await deliver(eventBody(team, broadcast, "Ev-broadcast"));
    await expect.poll(() => slack.inThread(thread).map(({ text }) => text)).toEqual(["Yes.", "Yes."]);
    const file = slack.upload("F7", { name: "hours.txt", content: "Open at nine.", mimetype: "text/plain" });
    const attachments = [
      {
        is_share: true,
        author_name: "Bo",
        text: "Closed on &lt;Friday&gt;\nsee <https://a.example|plan>",
        files: [file],
      },
      { from_url: "https://b.example", text: "Preview of a link" },
      { is_msg_unfurl: true, text: null },
    ];
    const shared = { ...reply, text: "Is this right?", ts: nextTs(), attachments };
    await deliver(eventBody(team, shared, "Ev-shared"));
    await expect.poll(() => slack.inThread(thread)).toHaveLength(3);
    const prompt = JSON.stringify(service.upstream.requests.at(-1)?.body);
    expect(prompt).toContain("Is this right?\\n\\nBo:\\n> Closed on <Friday>\\n> see plan (https://a.example)");
    expect(prompt).toContain("Open at nine.");
    expect(prompt).not.toContain("Preview of a link");
  });

  it("Slack app does not answer a person who writes in the thread of another person's conversation", async () => {
    const { client, link, mention } = await setUp("T-THREAD");
    const colleague = await createColleague(client, "user");
    await link(client);
    await link(colleague, "U2");
    service.upstream.script = streamText(["Yes."]);
    const thread = await mention("Mine?");
    await expect.poll(() => slack.inThread(thread)).toHaveLength(1);
    slack.calls.length = 0;
    await mention("Mine too?", { ts: "1900000001.000100", thread_ts: thread, user: "U2" });
    await expect.poll(() => slack.callsOf("chat.postEphemeral")[0]?.fields.text).toMatch(/another person/);
    expect(slack.inThread(thread)).toHaveLength(1);
  });

  it("Slack app waits and then posts the answer when Slack limits the rate, and updates one message where streams are not available", async () => {
    const { client, link, mention } = await setUp("T-LIMIT");
    await link(client);
    service.upstream.script = streamText(["One. ", "Two. ", "Three."], { pauseMs: 300 });
    slack.answerNext("chat.startStream", { status: 429, retryAfter: 1 });
    const limited = await mention("Count");
    await expect.poll(() => slack.inThread(limited)[0]?.isStreaming === false).toBe(true);
    expect(slack.inThread(limited)).toMatchObject([{ text: "One. Two. Three." }]);
    slack.answerNext("chat.startStream", { error: "unknown_method" });
    const updated = await mention("Count again");
    await expect.poll(() => slack.inThread(updated)[0]?.text).toBe("One. Two. Three.");
    expect(slack.inThread(updated)).toHaveLength(1);
  });

  it("Slack app posts the stored answer when its function could not post the end of the answer", async () => {
    const { client, link, mention } = await setUp("T-CRASH");
    await link(client);
    service.upstream.script = streamText(["First, ", "then second."], { pauseMs: 1_200 });
    slack.answerNext("chat.appendStream", { breaks: true });
    const thread = await mention("Go");
    await expect.poll(() => slack.inThread(thread)[0]?.text).toBe("First, then second.");
    await expect.poll(() => slack.inThread(thread)[0]?.isStreaming).toBe(false);
    expect(slack.inThread(thread)).toHaveLength(1);
  });

  it("Slack app never mixes two workspaces of two tenants", async () => {
    const [one, two] = [await setUp("T-ONE"), await setUp("T-TWO")];
    await Promise.all([one.link(one.client), two.link(two.client)]);
    service.upstream.script = streamText(["Hi."]);
    // The same channel and times in both; and a payload of one team that is signed for the app of the other.
    const ts = one.nextTs();
    await Promise.all([one.mention("From one", { ts }), two.mention("From two", { ts })]);
    const forged = { type: "app_mention", user: "U1", text: "<@UBOT> Forged", ts: one.nextTs(), channel: "C1" };
    expect((await one.deliver(eventBody("T-TWO", forged))).status).toBe(200);
    await expect
      .poll(() =>
        slack
          .inThread(ts)
          .map(({ token }) => token)
          .toSorted(),
      )
      .toEqual([one.app.bot_token, two.app.bot_token].toSorted());
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

  it("Slack app lets only a linked person who may decide an approval press its buttons", async () => {
    const { client, link, mention, deliver, team, workspace } = await setUp("T-APPROVE");
    const persona = await client.post("/v1/personas", {
      name: "Tools",
      instructions: "Help.",
      tier: "THOUGHT_PARTNER",
    });
    await client.request("PATCH", `/v1/messengers/slack/workspaces/${workspace}`, { persona_id: persona.body.id });
    const { body: policy, headers } = await client.get("/v1/policy");
    const { version: _, updated_at: __, updated_by: ___, ...rules } = policy;
    await client.put(
      "/v1/policy",
      { ...rules, approvals: { ...rules.approvals, tool_execution: "always" } },
      { "if-match": headers.get("etag") ?? "" },
    );
    const decider = await createColleague(client, "admin");
    await link(client);
    await link(decider, "U2");
    const pending = [
      streamText(["note"]),
      streamToolCalls(["create_note", JSON.stringify({ title: "Lunch", body: "", tags: [] })]),
    ];
    service.upstream.script = (response, request) =>
      (pending.shift() ?? streamText(["It is noted."]))(response, request);
    const thread = await mention("Note lunch");
    const request = () => [...slack.messages].find(([, message]) => message.thread_ts === thread && message.blocks);
    await expect.poll(request).toBeDefined();
    const [ts = "", { blocks } = { blocks: null }] = request() ?? [];
    expect(JSON.stringify(blocks)).toContain("Lunch");
    const [, buttons] = blocks as readonly { readonly elements?: readonly { readonly value: string }[] }[];
    const value = buttons?.elements?.[0]?.value ?? "";
    expect(value).not.toBe("");
    const press = (user: string, action_id = "approve") =>
      deliver(actionBody(team, user, { channel: "C1", ts, thread_ts: thread }, { action_id, value }));
    slack.calls.length = 0;
    // The one who asked, and one who is not linked.
    for (const user of ["U1", "U9"]) expect((await press(user)).status).toBe(200);
    await expect
      .poll(() =>
        slack
          .callsOf("chat.postEphemeral")
          .map(({ fields }) => fields.text)
          .toSorted(),
      )
      .toEqual([expect.stringMatching(/^Link your Slack account/), expect.stringMatching(/Requesters cannot decide/)]);
    expect((await client.get(`/v1/approvals/${value}`)).body.status).toBe("pending");
    await press("U2");
    await expect
      .poll(async () => (await client.get(`/v1/approvals/${value}`)).body)
      .toMatchObject({ status: "approved", decided_by: decider.identity.user });
    await expect.poll(() => JSON.stringify(slack.messages.get(ts)?.blocks)).toMatch(/Approved by <@U2>/);
    await expect.poll(() => slack.inThread(thread).at(-1)?.text).toBe("It is noted.");
  });

  it("Slack app posts alerts with their thread, updates them, and continues the thread of an alert with its context", async () => {
    const { client, app, mention, link, workspace } = await setUp("T-ALERT");
    await link(client);
    const channel = await createChannel({ signature_scheme: "token" }, client);
    const { body: persona } = await client.post("/v1/personas", { name: "On call" });
    const place = { workspace_id: workspace, channel: "C1" };
    const settings = { slack: place, investigate: { persona: persona.id } };
    const { body } = await client.patch(`/v1/webhooks/${channel.id}`, settings);
    expect(body.slack).toMatchObject({ ...place, channel_name: "channel-c1" });
    const hidden = await createChannel({}, client);
    const inHidden = await client.patch(`/v1/webhooks/${hidden.id}`, { slack: { ...place, channel: "G1" } });
    expect(inHidden.body.slack).toMatchObject({ channel: "G1", channel_name: null });
    const labels = { alertname: "Errors", service: "shop", severity: "critical" };
    const raise = (status: string) => {
      const alert = { status, labels, annotations: { summary: "Too many <!here> errors" }, fingerprint: "f" };
      const raw = JSON.stringify({ status, groupKey: "g", commonLabels: labels, alerts: [alert] });
      return channel.post(raw, { authorization: `Bearer ${channel.registration.secret}` });
    };
    const posted = () => [...slack.messages].filter(([, { token }]) => token === app.bot_token);
    const root = () => posted().find(([, { text, thread_ts }]) => text.includes("Errors") && !thread_ts);
    expect((await raise("firing")).status).toBe(200);
    await expect.poll(root).toBeDefined();
    const [ts, first] = root() ?? ["", { text: "" }];
    expect(first.text).toContain("CRITICAL · open · Errors");
    expect(first.text).toContain("&lt;!here&gt;");
    const replies = () => slack.inThread(ts).map(({ text }) => text);
    await expect.poll(replies).toMatchObject([expect.stringContaining("No cause proven")]);
    await raise("resolved");
    await expect.poll(() => root()?.[1].text).toContain("CRITICAL · resolved · Errors");
    expect(posted().filter(([, { thread_ts }]) => !thread_ts)).toHaveLength(1);
    service.upstream.requests.length = 0;
    await mention("What did the alert say?", { thread_ts: ts });
    const prompts = () => JSON.stringify(service.upstream.requests.map(({ body }) => body.messages));
    await expect.poll(prompts).toContain("Result of the investigation");
    const [alert] = await channel.messages();
    const { messages } = (await client.get(`/v1/conversations/${channel.conversation_id}/messages?limit=100`)).body;
    const question = messages.find((each: { role: string }) => each.role === "user");
    expect(question.parent_id).toBe(alert?.message_id);
    const other = new Client(newIdentity(), service.baseUrl);
    const foreign = await createChannel({}, other);
    expect((await other.patch(`/v1/webhooks/${foreign.id}`, { slack: place })).status).toBe(404);
  });

  it("Slack app reads the files that are attached to a message, and names the unreadable files in the thread", async () => {
    const { client, app, link, mention, nextTs, deliver, team } = await setUp("T-FILES");
    await link(client);
    service.upstream.script = streamText(["At 14:32."]);
    service.upstream.requests.length = 0;
    slack.downloads.length = 0;
    const tides = "High tide is at 14:32 in Brest.";
    const page = "<!doctype html><title>Ports</title><p>The port opens at six.</p>";
    const thread = await mention("When is high tide?", {
      files: [
        slack.upload("F1", { name: "tides.txt", content: tides, mimetype: "text/plain" }),
        slack.upload("F2", { name: "ports.html", content: page, mimetype: "text/html" }),
        slack.upload("F3", { name: "map.zip", content: "PK" }),
        slack.upload("F4", { name: "private.txt", content: "secret", login: "redirect" }),
        slack.upload("F5", { name: "private.html", content: "<p>secret</p>", login: "page" }),
        slack.upload("F6", { name: "plan.pdf", content: "", fields: { is_external: true } }),
        slack.upload("F7", { name: "photo.png", content: "<p>No image</p>", mimetype: "image/png" }),
        slack.upload("F8", { name: "far.txt", content: "", fields: { url_private_download: "http://localhost:9/x" } }),
        { id: "F9" },
      ],
    });
    await expect.poll(() => slack.inThread(thread)[0]?.isStreaming).toBe(false);
    const [answer, ...others] = slack.inThread(thread);
    expect(others).toEqual([]);
    const notes = answer?.text.split("\n\n").filter((line) => line.includes("was not read"));
    expect(notes).toEqual([
      expect.stringMatching(/^map\.zip was not read: This format cannot be read/),
      expect.stringMatching(/^private\.txt was not read: Slack sent a page to sign in/),
      expect.stringMatching(/^private\.html was not read: Slack sent a page to sign in/),
      expect.stringMatching(/^plan\.pdf was not read: It is stored in another service/),
      expect.stringMatching(/^photo\.png was not read: /),
      expect.stringMatching(/^far\.txt was not read: Slack sent a page to sign in/),
      "F9 was not read: Slack does not find it.",
    ]);
    expect(answer?.text).toMatch(/^At 14:32\./);
    const prompt = JSON.stringify(service.upstream.requests.map(({ body }) => body.messages));
    for (const text of [tides, "The port opens at six."]) expect(prompt).toContain(text);
    expect(prompt).not.toMatch(/secret|Sign in/);
    const tokens = slack.downloads.map(({ token }) => token);
    expect(new Set(tokens)).toEqual(new Set([app.bot_token]));
    const [conversation] = (await client.get("/v1/conversations")).body.conversations;
    const messagesOf = async () => (await client.get(`/v1/conversations/${conversation.id}/messages`)).body.messages;
    expect((await messagesOf())[0].attachments).toMatchObject([
      { file_name: "tides.txt", kind: "file", media_type: "text/plain", size: tides.length },
      { file_name: "ports.html", kind: "file", media_type: "text/html" },
    ]);
    // A file without a text, in a message of the thread that does not mention the app.
    const event = { type: "message", subtype: "file_share", user: "U1", text: "", channel: "C1", thread_ts: thread };
    const files = [slack.upload("F10", { name: "more.txt", content: "Low tide is at 20:40." })];
    await deliver(eventBody(team, { ...event, ts: nextTs(), files }, "Ev3"));
    await expect.poll(() => slack.inThread(thread).length).toBe(2);
    const question = (await messagesOf()).find((each: { content: unknown }) =>
      JSON.stringify(each.content).includes("more.txt"),
    );
    expect(question.attachments).toHaveLength(1);
    // Without any file that can be read, the question is not answered.
    slack.calls.length = 0;
    slack.answerNext("files.info", { error: "missing_scope" });
    await mention("And this?", { thread_ts: thread, ts: nextTs(), files });
    await expect
      .poll(() => slack.callsOf("chat.postEphemeral")[0]?.fields.text)
      .toMatch(/^The question was not answered: F10 was not read: The app may not read files\..*`files:read`/);
    expect(await messagesOf()).toHaveLength(4);
  });

  describe("Slack app of the deployment", () => {
    /** Sends a request as Slack does, for all workspaces. */
    const deliver = (body: string, secret = slackApp.signing_secret) =>
      fetch(`${service.baseUrl}/v1/slack/events`, {
        method: "POST",
        headers: { "content-type": "application/json", ...signSlack(secret, body) },
        body,
      });

    /** Starts an installation. @returns the state and the page to which Slack sends the administrator back */
    async function start(client: Client) {
      const { status, body } = await client.post("/v1/messengers/slack/installations", {});
      expect(status).toBe(201);
      const { origin, pathname, searchParams } = new URL(body.url);
      expect([origin + pathname, searchParams.get("client_id")]).toEqual([
        `${slack.url}/oauth/v2/authorize`,
        slackApp.client_id,
      ]);
      expect(searchParams.get("scope")?.split(",")).toContain("files:read");
      return { state: searchParams.get("state") ?? "", redirectUri: searchParams.get("redirect_uri") ?? "" };
    }

    /** Installs the app in a team. */
    async function install(client: Client, team: string, expires_in?: number) {
      const { state, redirectUri } = await start(client);
      const code = slack.allow(team, redirectUri, expires_in);
      return client.put("/v1/messengers/slack/installations", { state, code });
    }

    const mention = (team: string, text: string, ts: string, user = "U1") =>
      deliver(eventBody(team, { type: "app_mention", user, text: `<@UBOT> ${text}`, ts, channel: "C1" }));

    /** Sends an event of the removal of the app. */
    const remove = (team: string, event: Record<string, unknown>, event_time = Math.ceil(Date.now() / 1_000)) =>
      deliver(JSON.stringify({ ...JSON.parse(eventBody(team, event)), event_time }));

    /** Links an account by the link that the app sends. */
    async function link(client: Client, team: string, ts: string) {
      slack.calls.length = 0;
      expect((await mention(team, "Hello", ts)).status).toBe(200);
      const sent = () => slack.callsOf("chat.postEphemeral").find(({ token }) => slack.teams.get(token) === team);
      await expect.poll(sent).toBeDefined();
      const [, workspace_id, token] = /workspace=([\w-]+)&token=([\w-]+)\|/.exec(sent()?.fields.text) ?? [];
      expect((await client.post("/v1/messengers/slack/links", { workspace_id, token })).status).toBe(201);
    }

    it("Slack app of the deployment is installed by the person who started it, once, and by one tenant in a workspace", async () => {
      const [client, other] = [new Client(newIdentity(), service.baseUrl), new Client(newIdentity(), service.baseUrl)];
      const { state, redirectUri } = await start(client);
      const code = slack.allow("T-OAUTH", redirectUri);
      const colleague = await createColleague(client, "admin");
      for (const foreign of [other, colleague]) {
        expect((await foreign.put("/v1/messengers/slack/installations", { state, code })).status).toBe(400);
      }
      const installed = await client.put("/v1/messengers/slack/installations", { state, code });
      expect([installed.status, installed.body]).toMatchObject([
        200,
        {
          status: "ready",
          installed: true,
          organization_id: "T-OAUTH",
          name: "Team T-OAUTH",
          request_url: expect.stringMatching(/\/v1\/slack\/events$/),
        },
      ]);
      expect(installed.text).not.toContain("xoxb");
      expect((await client.put("/v1/messengers/slack/installations", { state, code })).status).toBe(400);
      const taken = await install(other, "T-OAUTH");
      expect([taken.status, taken.body.detail]).toEqual([409, expect.stringMatching(/another organization/)]);
      expect((await other.get("/v1/messengers/slack/workspaces")).body).toMatchObject({
        workspaces: [],
        has_app: true,
      });
      const again = await install(client, "T-OAUTH");
      expect([again.status, again.body.id]).toEqual([200, installed.body.id]);
      const denied = await start(client);
      const { status, body } = await client.put("/v1/messengers/slack/installations", {
        state: denied.state,
        error: "access_denied",
      });
      expect([status, body.detail]).toEqual([409, expect.stringContaining("access_denied")]);
      const path = `/v1/messengers/slack/workspaces/${installed.body.id}`;
      expect((await client.patch(path, { signing_secret: "0".repeat(32) })).status).toBe(409);
      expect((await client.delete(path)).status).toBe(204);
      expect((await install(other, "T-OAUTH")).status).toBe(200);
    });

    it("Slack app of the deployment answers the URL challenge and installed workspaces, and ignores teams that have not installed it", async () => {
      const challenge = JSON.stringify({ type: "url_verification", token: "legacy", challenge: "c-2" });
      const answered = await deliver(challenge);
      expect([answered.status, await answered.json()]).toEqual([200, { challenge: "c-2" }]);
      expect((await deliver(challenge, "0".repeat(32))).status).toBe(401);
      const { client } = await setUp("T-PASTED");
      expect((await mention("T-PASTED", "Forged", "1810000000.000100")).status).toBe(200);
      const owner = new Client(newIdentity(), service.baseUrl);
      await install(owner, "T-SHARED");
      await link(owner, "T-SHARED", "1810000001.000100");
      service.upstream.script = streamText(["Hi."]);
      await mention("T-SHARED", "Who are you?", "1810000002.000100");
      await expect.poll(() => slack.inThread("1810000002.000100")[0]?.text).toBe("Hi.");
      expect((await owner.get("/v1/conversations")).body.conversations).toHaveLength(1);
      expect((await client.get("/v1/conversations")).body.conversations).toEqual([]);
    });

    it("Slack app of the deployment exchanges an expiring token only once for concurrent questions", async () => {
      const client = new Client(newIdentity(), service.baseUrl);
      // Valid, but not for as long as a function runs.
      await install(client, "T-ROTATE", 60);
      const [first] = [...slack.teams].findLast(([, team]) => team === "T-ROTATE") ?? [""];
      slack.revoke(first);
      slack.calls.length = 0;
      const people = ["U11", "U12", "U13", "U14", "U15"];
      await Promise.all(people.map((user, index) => mention("T-ROTATE", "Hello", `182000000${index}.000100`, user)));
      const asked = () => slack.callsOf("chat.postEphemeral").map(({ fields }) => fields.user);
      await expect.poll(() => asked().toSorted()).toEqual(people);
      const tokens = () => [...slack.teams].filter(([, team]) => team === "T-ROTATE");
      expect(tokens()).toHaveLength(1);
      const actions = async () => (await listAuditEvents(client)).map(({ action }) => action);
      await expect.poll(actions).toContain("slack_workspace.created");
      expect((await actions()).filter((action) => action.startsWith("slack_workspace"))).toHaveLength(1);
    });

    it("Slack app of the deployment forgets its token when it is removed, and its team can be installed by another tenant", async () => {
      const [client, other] = [new Client(newIdentity(), service.baseUrl), new Client(newIdentity(), service.baseUrl)];
      const { body } = await install(client, "T-GONE");
      const workspace = async () => (await client.get(`/v1/messengers/slack/workspaces/${body.id}`)).body;
      // One of a person, and one of an earlier installation that Slack repeats.
      await remove("T-GONE", { type: "tokens_revoked", tokens: { oauth: ["U1"], bot: [] } });
      await remove("T-GONE", { type: "app_uninstalled" }, Math.floor(Date.now() / 1_000) - 3_000);
      expect(await workspace()).toMatchObject({ status: "ready", error: null });
      await remove("T-GONE", { type: "tokens_revoked", tokens: { bot: ["UBOT"] } });
      await remove("T-GONE", { type: "app_uninstalled" });
      expect(await workspace()).toMatchObject({ status: "failed", error: "tokens_revoked" });
      expect((await install(other, "T-GONE")).status).toBe(200);
      // A workspace with an app of its own has to get a new token.
      const own = await setUp("T-GONE-2");
      const event = eventBody(own.team, { type: "app_uninstalled" });
      const sent = JSON.stringify({ ...JSON.parse(event), event_time: Math.ceil(Date.now() / 1_000) });
      expect((await own.deliver(sent)).status).toBe(200);
      const pasted = (await own.client.get(`/v1/messengers/slack/workspaces/${own.workspace}`)).body;
      expect(pasted).toMatchObject({ status: "failed", error: "app_uninstalled", installed: false });
    });
  });

  it("Slack app stores each of 50 mentions that arrive in a burst before it answers any, and answers each exactly once", async () => {
    const { client, link, mention } = await setUp("T-BURST");
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
    expect(threads.flatMap((thread) => slack.inThread(thread)).filter(({ text }) => text.includes("Done."))).toEqual(
      [],
    );
    received.resolve();
    await expect
      .poll(() => threads.filter((thread) => slack.inThread(thread).some(({ text }) => text === "Done.")).length)
      .toBe(50);
    expect(threads.filter((thread) => slack.inThread(thread).length !== 1)).toEqual([]);
  });
});
