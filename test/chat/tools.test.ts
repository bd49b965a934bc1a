import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity, streamedText } from "#test/support/client.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { type Script, streamText, streamToolCalls, type Upstream } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

describe("tool in a chat", () => {
  let upstream: Upstream;
  let service: ScriptedService;
  let client: Client;

  beforeAll(async () => {
    service = await startScriptedService();
    ({ upstream } = service);
    client = new Client(newIdentity(), service.baseUrl);
  });

  afterAll(() => service?.stop());

  /** Sets the scripts for a turn's model calls. The first call of a THOUGHT_PARTNER turn plans the searches. */
  const setScripts = (...scripts: readonly Script[]) => {
    upstream.requests.length = 0;
    const pending = [streamText(["lighthouse\nlamp"]), ...scripts];
    upstream.script = (response, request) => (pending.shift() ?? streamText(["Enough."]))(response, request);
  };

  /** Returns the tool results in the last request to the model. */
  const toolResults = (): string[] =>
    upstream.requests
      .at(-1)
      ?.body.messages.filter(({ role }: { role: string }) => role === "tool")
      .map(({ content }: { content: string }) =>
        content.replace(/^<tool_result id="(\w+)">\n([\s\S]*)\n<\/tool_result id="\1">$/, "$2"),
      ) ?? [];

  const chat = async (content: string, caller = client, conversation?: string, tier = "THOUGHT_PARTNER") =>
    caller.chat({ conversation_id: conversation ?? (await caller.createConversation()), content, tier });

  const calculateCalls = (n: number) =>
    streamToolCalls(...Array.from({ length: n }, () => ["calculate", '{"expression":"2+2"}'] as const));

  it("tool in a chat is executed for the model, appears as a thinking step and returns its result to the model", async () => {
    setScripts(
      streamToolCalls(["calculate", '{"expression":"17*3"}'], ["current_time", "{}"]),
      streamText(["It is ", "51."]),
    );
    const frames = await chat("What is 17 times 3?");
    expect(streamedText(frames)).toBe("It is 51.");
    const steps = frames.filter(({ event }) => event === "thinking_step").map(({ data }) => data.title);
    expect(steps).toEqual(expect.arrayContaining(["Calculating", "Checking the time"]));
    const [sum, time] = toolResults();
    expect(JSON.parse(sum ?? "")).toEqual({ expression: "17*3", value: 51 });
    expect(JSON.parse(time ?? "").utc).toMatch(/^20\d\d-/);
    const last = upstream.requests.at(-1)?.body.messages.at(-3);
    expect(last.tool_calls.map(({ id }: { id: string }) => id)).toEqual(["call_0", "call_1"]);
    expect(frames.at(-1)?.event).toBe("done");
  });

  it("tool in a chat is offered on its tiers only, and only if the persona allows it", async () => {
    setScripts();
    await chat("Hi", client, undefined, "QUICK");
    expect(upstream.requests.at(-1)?.body.tools).toBeUndefined();
    setScripts();
    await chat("Hi");
    expect(upstream.requests.at(-1)?.body.tools).toHaveLength(9);
    const { body: persona } = await client.post("/v1/personas", { name: "Abacus", tools: ["calculate"] });
    const { body: bound } = await client.post("/v1/conversations", { title: "Sums", persona_id: persona.id });
    setScripts(streamToolCalls(["create_note", '{"title":"No"}']), streamText(["As you wish."]));
    const frames = await chat("Note this", client, bound.id);
    const offeredTools = upstream.requests
      .at(-1)
      ?.body.tools.map((tool: { function: { name: string } }) => tool.function.name);
    expect(offeredTools).toEqual(["calculate"]);
    expect(toolResults()).toEqual(["There is no tool create_note."]);
    expect(frames.at(-1)?.event).toBe("done");
    expect((await client.get("/v1/notes")).body.notes).toEqual([]);
  });

  it("tool in a chat returns an error without internal details to the model when it fails", async () => {
    setScripts(
      streamToolCalls(
        ["calculate", "{not json"],
        ["calculate", '{"expression":"2+"}'],
        ["calculate", "{}"],
        ["current_time", '{"time_zone":"Mars/Olympus"}'],
        ["teleport", "{}"],
      ),
      streamText(["I cannot."]),
    );
    const frames = await chat("Try");
    expect(streamedText(frames)).toBe("I cannot.");
    expect(toolResults()).toEqual([
      "The arguments are not JSON, or nested too deeply.",
      expect.stringContaining("Invalid expression"),
      expect.stringContaining("expression"),
      expect.stringContaining("There is no time zone Mars/Olympus"),
      "There is no tool teleport.",
    ]);
  });

  it("tool in a chat is called at most five times per model response, and an answer takes at most six responses", async () => {
    setScripts(...Array.from({ length: 5 }, () => calculateCalls(9)), streamText(["At last."]));
    const frames = await chat("Never stop");
    expect(streamedText(frames)).toBe("At last.");
    expect(upstream.requests).toHaveLength(1 + 6);
    expect(toolResults()).toHaveLength(5 * 5);
    expect(upstream.requests.map(({ body }) => body.tool_choice).slice(1)).toEqual([...Array(5).fill("auto"), "none"]);
  });

  it("tool in a chat reads the notes and memories of the caller only", async () => {
    const colleague = await createColleague(client);
    await client.post("/v1/notes", { title: "Harbour plan", body: "The harbour opens in May." });
    await client.post("/v1/memories", { text: "The harbour master is called Ingrid." });
    const bothCalls = () =>
      streamToolCalls(["read_note", '{"query":"harbour"}'], ["search_memory", '{"query":"harbour master"}']);
    setScripts(bothCalls());
    await chat("What about the harbour?");
    expect(toolResults().join()).toMatch(/opens in May[\s\S]*Ingrid/);
    setScripts(bothCalls());
    await chat("What about the harbour?", colleague);
    expect(toolResults().map((outcome) => JSON.parse(outcome))).toEqual([{ notes: [] }, { memories: [] }]);
  });

  it("tool in a chat finds earlier messages of the conversation on the active branch only", async () => {
    const [id, other] = [await client.createConversation("Harbour"), await client.createConversation("Other")];
    setScripts(...Array.from({ length: 4 }, () => streamText(["Noted."])));
    await chat("The pilot boat is called Nordlys.", client, id);
    await chat("The pilot is called Ingrid.", client, id);
    const { body } = await client.get(`/v1/conversations/${id}/messages`);
    const edit = { content: "The pilot is called Astrid.", edit_message_id: body.messages.at(-2).message_id };
    await client.chat({ conversation_id: id, ...edit });
    await chat("The pilot of the other harbour is called Sigrid.", client, other);
    setScripts(streamToolCalls(["search_conversation", '{"query":"pilot"}']), streamText(["Found."]));
    await chat("Who was it?", client, id);
    const { messages } = JSON.parse(toolResults()[0] ?? "");
    const today = new Date().toISOString().slice(0, 10);
    expect(messages).toEqual(
      ["The pilot boat is called Nordlys.", "The pilot is called Astrid."].map((text) => ({
        role: "user",
        date: today,
        text,
      })),
    );
  });

  it("tool in a chat returns no memories when the policy disables them", async () => {
    const person = new Client(newIdentity(), service.baseUrl);
    await person.post("/v1/memories", { text: "The harbour master is called Ingrid." });
    await setPolicy(person, { memory: { enabled: false } });
    setScripts(streamToolCalls(["search_memory", '{"query":"harbour master"}']));
    await chat("Who is the harbour master?", person);
    expect(JSON.parse(toolResults()[0] ?? "")).toMatchObject({ memories: [], reason: expect.any(String) });
  });

  it("tool in a chat returns a note with secrets redacted and reports the redaction", async () => {
    const person = new Client(newIdentity(), service.baseUrl);
    const body = `The key of the bucket is AKIA${"IOSFODNN7"}EXAMPLE, the harbour opens in May.`;
    await person.post("/v1/notes", { title: "Harbour", body });
    setScripts(streamToolCalls(["read_note", '{"query":"harbour"}']));
    const frames = await chat("What about the harbour?", person);
    expect(toolResults()[0]).toContain("opens in May");
    expect(toolResults()[0]).not.toContain("IOSFODNN7");
    expect(frames.filter(({ event }) => event === "guardrail_result").map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ stage: "retrieval", action: "redact" }),
    );
  });

  it("tool in a chat finds only the caller's data, with scores that do not depend on other users' data", async () => {
    const owner = new Client(newIdentity(), service.baseUrl);
    const people = [owner, await createColleague(owner), new Client(newIdentity(), service.baseUrl)];
    const keepers = ["Ingrid", "Astrid", "Sigrid"];
    const collections: string[] = [];
    const seedUser = async (person: Client, index: number) => {
      const keeper = keepers[index] ?? "";
      const { body: collection } = await person.post("/v1/knowledge/collections", { name: `Papers of ${keeper}` });
      collections.push(collection.id);
      const text = `The lamp of the lighthouse burns rapeseed oil. Its keeper is ${keeper}.`;
      // Each user has one more document than the previous one, which shared statistics would reveal in the scores.
      for (let papers = 0; papers <= index; papers++) {
        await addIndexedDocument(person, { title: papers === 0 ? "Lighthouse" : "Harbour", text }, collection.id);
      }
      await person.post("/v1/memories", { text: `The lighthouse is kept by ${keeper}.` });
    };
    const collectVisible = async (index: number) => {
      const person = people[index] as Client;
      setScripts(
        streamToolCalls(
          ["search_knowledge", '{"query":"keeper of the lighthouse"}'],
          ["search_memory", '{"query":"lighthouse"}'],
        ),
        streamText(["Found."]),
      );
      const frames = await chat("Who is the keeper of the lighthouse?", person);
      const sourceLists = frames.filter(({ event }) => event === "search_transparency").map(({ data }) => data.sources);
      const { body } = await person.get("/v1/knowledge/search?q=keeper+of+the+lighthouse");
      const { body: listed } = await person.get("/v1/knowledge/collections");
      return {
        sourceLists,
        scores: body.results.map(({ score }: { score: number }) => score),
        all: JSON.stringify([frames, upstream.requests.map((request) => request.body), body, listed]),
      };
    };
    await seedUser(owner, 0);
    const initial = await collectVisible(0);
    for (const [index, person] of people.entries()) if (person !== owner) await seedUser(person, index);
    for (const [index, keeper] of keepers.entries()) {
      const { sourceLists, scores, all } = await collectVisible(index);
      expect(sourceLists.length).toBeGreaterThan(1);
      for (const sources of sourceLists) expect(sources).toHaveLength(index + 1);
      expect(scores).toHaveLength(index + 1);
      for (const [other, id] of collections.entries()) {
        expect(all.includes(id), `${keeper} sees collection ${other}`).toBe(other === index);
        expect(all.includes(keepers[other] ?? ""), `${keeper} sees ${keepers[other]}`).toBe(other === index);
      }
    }
    expect((await collectVisible(0)).scores).toEqual(initial.scores);
    expect((await collectVisible(1)).scores).not.toEqual(initial.scores);
  });

  it("tool in a chat creates a note, or proposes a memory that the user can accept", async () => {
    setScripts(
      streamToolCalls(
        ["create_note", '{"title":"Shopping","body":"Rope and tar","tags":["boat"]}'],
        ["propose_memory", '{"text":"They own a boat.","category":"fact"}'],
      ),
      streamText(["Done."]),
    );
    const person = new Client(newIdentity(), service.baseUrl);
    const id = await person.createConversation();
    const frames = await chat("Note that I need rope and tar for my boat", person, id);
    const { body: list } = await person.get("/v1/notes");
    expect(list.notes).toMatchObject([
      { title: "Shopping", body: "Rope and tar", tags: ["boat"], conversation_id: id },
    ]);
    const proposal = frames.find(({ event }) => event === "memory_proposal")?.data;
    expect(proposal).toMatchObject({ text: "They own a boat.", scope: "user", category: "fact" });
    const { body: memory } = await person.get(`/v1/memories/${proposal?.memory_id}`);
    expect(memory).toMatchObject({ text: "They own a boat.", status: "proposed" });
    const final = frames.find(({ event, data }) => event === "assistant_message" && data.final)?.data.content;
    expect(final).toContainEqual({ type: "memory_proposal", ...proposal });
  });

  it("tool in a chat adds the tokens of every model response to the usage of the answer", async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    setScripts(calculateCalls(1), streamText(["Four."], { usage }));
    const frames = await chat("2+2?");
    const { input_tokens, output_tokens } = frames.find(({ event }) => event === "swtoken_update")?.data ?? {};
    // Usage of the search plan and the answer; the round of tool calls reported none.
    expect([input_tokens, output_tokens]).toEqual([110, 15]);
  });
});

describe("tool call of the demo model", () => {
  const client = new Client();

  it.each([
    ["What is (17 + 3) * 2?", "(17 + 3) * 2 = **40**"],
    ["Make a note: buy rope", "I wrote the note “buy rope” for you."],
    ["What time is it?", "Coordinated Universal Time"],
  ])("tool call of the demo model produces the answer to: %s", async (content, expected) => {
    const id = await client.createConversation();
    const frames = await client.chat({ conversation_id: id, content, tier: "THOUGHT_PARTNER" });
    expect(streamedText(frames)).toContain(expected.startsWith("Coord") ? "It is" : expected);
    expect(frames.at(-1)?.event).toBe("done");
  });
});
