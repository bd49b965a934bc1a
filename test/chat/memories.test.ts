import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { streamText, type Upstream } from "#test/support/models/upstream.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

describe("memories and notes in a chat", () => {
  let upstream: Upstream;
  let service: ScriptedService;

  beforeAll(async () => {
    service = await startScriptedService({ script: streamText(["Noted."]) });
    ({ upstream } = service);
  });

  afterAll(() => service?.stop());

  const fresh = () => new Client(newIdentity(), service.baseUrl);

  /** What the model is told beside the conversation when somebody speaks. */
  async function toldTo(client: Client, conversation_id: string, content = "Hello"): Promise<string> {
    await client.chat({ conversation_id, content, tier: "QUICK" });
    return upstream.requests.at(-1)?.body.messages[0].content;
  }

  it("reach the prompt once active: the person's, the conversation's, the persona's and the tenant's", async () => {
    const client = fresh();
    const { body: persona } = await client.post("/v1/personas", { name: "Guide" });
    const { body: bound } = await client.post("/v1/conversations", { title: "Bound", persona_id: persona.id });
    const other = await client.createConversation();
    const memories = [
      { text: "Likes lighthouses", category: "preference" },
      { text: "Plans a trip to Skagen", scope: "conversation", scope_id: bound.id },
      { text: "Wants a formal guide", scope: "persona", scope_id: persona.id },
      { text: "The office is in Aarhus", scope: "tenant", category: "fact" },
    ];
    for (const memory of memories) expect((await client.post("/v1/memories", memory)).status).toBe(201);
    const everywhere = await toldTo(client, bound.id);
    for (const { text } of memories) expect(everywhere).toContain(text);
    const elsewhere = await toldTo(client, other);
    expect(memories.map(({ text }) => elsewhere.includes(text))).toEqual([true, false, false, true]);
  });

  it("stay their author's, in a shared conversation too", async () => {
    const owner = fresh();
    const colleague = await createColleague(owner);
    const id = await owner.createConversation();
    await shareConversation(owner, id, colleague, "WRITE");
    await owner.post("/v1/memories", { text: "Fears the sea", scope: "conversation", scope_id: id });
    await owner.post("/v1/notes", { title: "Secret plan", body: "Buy an island", conversation_id: id });
    const own = await toldTo(owner, id);
    expect(own).toContain("Fears the sea");
    expect(own).toContain('<note title="Secret plan">\nBuy an island\n</note>');
    const theirs = await toldTo(colleague, id);
    expect(theirs).not.toContain("Fears the sea");
    expect(theirs).not.toContain("island");
  });

  it("are proposed where a lasting fact was stated, once, and used when accepted", async () => {
    const client = fresh();
    const id = await client.createConversation();
    const ask = (content: string) => client.chat({ conversation_id: id, content, tier: "QUICK" });
    const proposed = (frames: Awaited<ReturnType<typeof ask>>) =>
      frames.filter(({ event }) => event === "memory_proposal").map(({ data }) => data);
    const [proposal, ...others] = proposed(await ask("I work as a harbour pilot in Esbjerg. How deep is the sea?"));
    expect(others).toEqual([]);
    expect(proposal).toMatchObject({ text: "I work as a harbour pilot in Esbjerg.", category: "profile" });
    expect(await toldTo(client, id)).not.toContain("harbour pilot");
    const { body } = await client.get("/v1/memories?status=proposed");
    expect(body.memories).toHaveLength(1);
    expect(body.memories[0].source_message_id).toBeTruthy();
    await client.patch(`/v1/memories/${proposal?.memory_id}`, { status: "active" });
    expect(await toldTo(client, id)).toContain("harbour pilot");
    expect(proposed(await ask("I work as a harbour pilot in Esbjerg."))).toEqual([]);
  });

  it("are used once accepted, though they are worded anew at the same moment", async () => {
    const client = fresh();
    const trades = ["pilot", "baker", "tailor", "potter", "weaver", "joiner"];
    for (const trade of trades) {
      const id = await client.createConversation();
      await client.chat({ conversation_id: id, content: `I work as a ${trade} in Esbjerg.`, tier: "QUICK" });
      const { memories } = (await client.get("/v1/memories?status=proposed")).body;
      const changes = [
        { status: "active" },
        ...["now", "today", "here"].map((when) => ({ text: `A ${trade} ${when}` })),
      ];
      await Promise.all(changes.map((change) => client.patch(`/v1/memories/${memories[0].id}`, change)));
    }
    const told = await toldTo(client, await client.createConversation());
    for (const trade of trades) expect(told).toContain(`A ${trade} `);
  });

  it("do not keep what was taken out of the question", async () => {
    const client = fresh();
    const id = await client.createConversation();
    await client.chat({ conversation_id: id, content: "Remember that my card is 4111 1111 1111 1111", tier: "QUICK" });
    const { body } = await client.get("/v1/memories");
    expect(JSON.stringify(body)).not.toContain("4111");
  });

  it("are neither used nor proposed where the policy says so", async () => {
    const client = fresh();
    const id = await client.createConversation();
    await client.post("/v1/memories", { text: "Likes lighthouses" });
    const { body: policy, headers } = await client.get("/v1/policy");
    const { version: _, updated_at: __, updated_by: ___, ...rules } = policy;
    const put = await client.put(
      "/v1/policy",
      { ...rules, memory: { enabled: false } },
      {
        "if-match": headers.get("etag") ?? "",
      },
    );
    expect(put.status).toBe(200);
    expect(await toldTo(client, id)).not.toContain("lighthouses");
    const frames = await client.chat({ conversation_id: id, content: "I prefer tea over coffee.", tier: "QUICK" });
    expect(frames.some(({ event }) => event === "memory_proposal")).toBe(false);
    expect((await client.get("/v1/memories?status=proposed")).body.memories).toEqual([]);
  });
});
