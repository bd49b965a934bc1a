import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity, streamedText } from "#test/support/client.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { type Script, streamText, streamToolCalls, type Upstream } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

describe("tools of a thought partner", () => {
  let upstream: Upstream;
  let service: ScriptedService;
  let client: Client;

  beforeAll(async () => {
    service = await startScriptedService();
    ({ upstream } = service);
    client = new Client(newIdentity(), service.baseUrl);
  });

  afterAll(() => service?.stop());

  /** Answers a turn's requests one after another; the first of THOUGHT_PARTNER is the plan of its searches. */
  const answersOf = (...scripts: readonly Script[]) => {
    upstream.requests.length = 0;
    const waiting = [streamText(["lighthouse\nlamp"]), ...scripts];
    upstream.script = (response, request) => (waiting.shift() ?? streamText(["Enough."]))(response, request);
  };

  /** What the model was told of its calls' outcomes in the last request. */
  const outcomes = (): string[] =>
    upstream.requests
      .at(-1)
      ?.body.messages.filter(({ role }: { role: string }) => role === "tool")
      .map(({ content }: { content: string }) => content) ?? [];

  const ask = async (content: string, from = client, conversation?: string, tier = "THOUGHT_PARTNER") =>
    from.chat({ conversation_id: conversation ?? (await from.createConversation()), content, tier });

  const calls = (n: number) =>
    streamToolCalls(...Array.from({ length: n }, () => ["calculate", '{"expression":"2+2"}'] as const));

  it("run in between, shown as steps, and the model is told what came of them", async () => {
    answersOf(
      streamToolCalls(["calculate", '{"expression":"17*3"}'], ["current_time", "{}"]),
      streamText(["It is ", "51."]),
    );
    const frames = await ask("What is 17 times 3?");
    expect(streamedText(frames)).toBe("It is 51.");
    const steps = frames.filter(({ event }) => event === "thinking_step").map(({ data }) => data.title);
    expect(steps).toEqual(expect.arrayContaining(["Calculating", "Looking at the clock"]));
    const [sum, time] = outcomes();
    expect(JSON.parse(sum ?? "")).toEqual({ expression: "17*3", value: 51 });
    expect(JSON.parse(time ?? "").utc).toMatch(/^20\d\d-/);
    const last = upstream.requests.at(-1)?.body.messages.at(-3);
    expect(last.tool_calls.map(({ id }: { id: string }) => id)).toEqual(["call_0", "call_1"]);
    expect(frames.at(-1)?.event).toBe("done");
  });

  it("are only offered on their tier, and only those the persona names", async () => {
    answersOf();
    await ask("Hi", client, undefined, "QUICK");
    expect(upstream.requests.at(-1)?.body.tools).toBeUndefined();
    answersOf();
    await ask("Hi");
    expect(upstream.requests.at(-1)?.body.tools).toHaveLength(7);
    const { body: persona } = await client.post("/v1/personas", { name: "Abacus", tools: ["calculate"] });
    const { body: bound } = await client.post("/v1/conversations", { title: "Sums", persona_id: persona.id });
    answersOf(streamToolCalls(["create_note", '{"title":"No"}']), streamText(["As you wish."]));
    const frames = await ask("Note this", client, bound.id);
    const offered = upstream.requests
      .at(-1)
      ?.body.tools.map((tool: { function: { name: string } }) => tool.function.name);
    expect(offered).toEqual(["calculate"]);
    expect(outcomes()).toEqual(["There is no tool create_note."]);
    expect(frames.at(-1)?.event).toBe("done");
    expect((await client.get("/v1/notes")).body.notes).toEqual([]);
  });

  it("tell the model what was wrong, and nothing of our insides", async () => {
    answersOf(
      streamToolCalls(
        ["calculate", "{not json"],
        ["calculate", '{"expression":"2+"}'],
        ["calculate", "{}"],
        ["current_time", '{"time_zone":"Mars/Olympus"}'],
        ["teleport", "{}"],
      ),
      streamText(["I cannot."]),
    );
    const frames = await ask("Try");
    expect(streamedText(frames)).toBe("I cannot.");
    expect(outcomes()).toEqual([
      "The arguments are not JSON.",
      expect.stringContaining("cannot be calculated"),
      expect.stringContaining("expression"),
      expect.stringContaining("There is no time zone Mars/Olympus"),
      "There is no tool teleport.",
    ]);
  });

  it("are bounded: five at a time, six rounds, then the model has to speak", async () => {
    answersOf(...Array.from({ length: 5 }, () => calls(9)), streamText(["At last."]));
    const frames = await ask("Go on for ever");
    expect(streamedText(frames)).toBe("At last.");
    expect(upstream.requests).toHaveLength(1 + 6);
    expect(outcomes()).toHaveLength(5 * 5);
    expect(upstream.requests.map(({ body }) => body.tool_choice).slice(1)).toEqual([...Array(5).fill("auto"), "none"]);
  });

  it("act for whoever asks: own notes and memories, nobody else's", async () => {
    const colleague = await createColleague(client);
    await client.post("/v1/notes", { title: "Harbour plan", body: "The harbour opens in May." });
    await client.post("/v1/memories", { text: "The harbour master is called Ingrid." });
    const both = () =>
      streamToolCalls(["read_note", '{"query":"harbour"}'], ["search_memory", '{"query":"harbour master"}']);
    answersOf(both());
    await ask("What about the harbour?");
    expect(outcomes().join()).toMatch(/opens in May[\s\S]*Ingrid/);
    answersOf(both());
    await ask("What about the harbour?", colleague);
    expect(outcomes().map((outcome) => JSON.parse(outcome))).toEqual([{ notes: [] }, { memories: [] }]);
  });

  it("know no memories where the policy allows none", async () => {
    const person = new Client(newIdentity(), service.baseUrl);
    await person.post("/v1/memories", { text: "The harbour master is called Ingrid." });
    await setPolicy(person, { memory: { enabled: false } });
    answersOf(streamToolCalls(["search_memory", '{"query":"harbour master"}']));
    await ask("Who is the harbour master?", person);
    expect(JSON.parse(outcomes()[0] ?? "")).toMatchObject({ memories: [], reason: expect.any(String) });
  });

  it("give notes as the check of what was found lets them through, and say so", async () => {
    const person = new Client(newIdentity(), service.baseUrl);
    const body = `The key of the bucket is AKIA${"IOSFODNN7"}EXAMPLE, the harbour opens in May.`;
    await person.post("/v1/notes", { title: "Harbour", body });
    answersOf(streamToolCalls(["read_note", '{"query":"harbour"}']));
    const frames = await ask("What about the harbour?", person);
    expect(outcomes()[0]).toContain("opens in May");
    expect(outcomes()[0]).not.toContain("IOSFODNN7");
    expect(frames.filter(({ event }) => event === "guardrail_result").map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ stage: "retrieval", action: "redact" }),
    );
  });

  it("find for everybody what is theirs, and rank it as if there were nothing else", async () => {
    const owner = new Client(newIdentity(), service.baseUrl);
    const people = [owner, await createColleague(owner), new Client(newIdentity(), service.baseUrl)];
    const keepers = ["Ingrid", "Astrid", "Sigrid"];
    const collections: string[] = [];
    const furnish = async (person: Client, index: number) => {
      const keeper = keepers[index] ?? "";
      const { body: collection } = await person.post("/v1/knowledge/collections", { name: `Papers of ${keeper}` });
      collections.push(collection.id);
      const text = `The lamp of the lighthouse burns rapeseed oil. Its keeper is ${keeper}.`;
      // Each has one paper more than the one before: in common statistics, that would show in the scores.
      for (let papers = 0; papers <= index; papers++) {
        await addIndexedDocument(person, { title: papers === 0 ? "Lighthouse" : "Harbour", text }, collection.id);
      }
      await person.post("/v1/memories", { text: `The lighthouse is kept by ${keeper}.` });
    };
    const seenBy = async (index: number) => {
      const person = people[index] as Client;
      answersOf(
        streamToolCalls(
          ["search_knowledge", '{"query":"keeper of the lighthouse"}'],
          ["search_memory", '{"query":"lighthouse"}'],
        ),
        streamText(["Found."]),
      );
      const frames = await ask("Who is the keeper of the lighthouse?", person);
      const shown = frames.filter(({ event }) => event === "search_transparency").map(({ data }) => data.sources);
      const { body } = await person.get("/v1/knowledge/search?q=keeper+of+the+lighthouse");
      const { body: listed } = await person.get("/v1/knowledge/collections");
      return {
        shown,
        scores: body.results.map(({ score }: { score: number }) => score),
        all: JSON.stringify([frames, upstream.requests.map((request) => request.body), body, listed]),
      };
    };
    await furnish(owner, 0);
    const alone = await seenBy(0);
    for (const [index, person] of people.entries()) if (person !== owner) await furnish(person, index);
    for (const [index, keeper] of keepers.entries()) {
      const { shown, scores, all } = await seenBy(index);
      expect(shown.length).toBeGreaterThan(1);
      for (const sources of shown) expect(sources).toHaveLength(index + 1);
      expect(scores).toHaveLength(index + 1);
      for (const [other, id] of collections.entries()) {
        expect(all.includes(id), `${keeper} sees collection ${other}`).toBe(other === index);
        expect(all.includes(keepers[other] ?? ""), `${keeper} sees ${keepers[other]}`).toBe(other === index);
      }
    }
    expect((await seenBy(0)).scores).toEqual(alone.scores);
    expect((await seenBy(1)).scores).not.toEqual(alone.scores);
  });

  it("write notes and propose memories, which are shown and wait to be accepted", async () => {
    answersOf(
      streamToolCalls(
        ["create_note", '{"title":"Shopping","body":"Rope and tar","tags":["boat"]}'],
        ["propose_memory", '{"text":"They own a boat.","category":"fact"}'],
      ),
      streamText(["Done."]),
    );
    const person = new Client(newIdentity(), service.baseUrl);
    const id = await person.createConversation();
    const frames = await ask("Note that I need rope and tar for my boat", person, id);
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

  it("count what all rounds took", async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    answersOf(calls(1), streamText(["Four."], { usage }));
    const frames = await ask("2+2?");
    const { input_tokens, output_tokens } = frames.find(({ event }) => event === "swtoken_update")?.data ?? {};
    // The plan of searches and the answer; the round of calls came without figures.
    expect([input_tokens, output_tokens]).toEqual([110, 15]);
  });
});

describe("the built-in model's tools", () => {
  const client = new Client();

  it.each([
    ["What is (17 + 3) * 2?", "(17 + 3) * 2 = **40**"],
    ["Make a note: buy rope", "I wrote the note “buy rope” for you."],
    ["What time is it?", "Coordinated Universal Time"],
  ])("%s", async (content, said) => {
    const id = await client.createConversation();
    const frames = await client.chat({ conversation_id: id, content, tier: "THOUGHT_PARTNER" });
    expect(streamedText(frames)).toContain(said.startsWith("Coord") ? "It is" : said);
    expect(frames.at(-1)?.event).toBe("done");
  });
});
