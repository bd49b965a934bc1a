import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Client, somebody, streamedText } from "#test/support/client.ts";

const text = `Opening hours

The reading room of the lighthouse museum opens at nine in the morning and closes at five.
On Sundays it stays closed. Groups of more than twelve people are asked to register a week ahead.

The lamp

The lamp of the lighthouse was lit for the first time in 1874 and burned rapeseed oil.`;

async function withDocument(client: Client): Promise<{ collection: string; document: string }> {
  const { body: collection } = await client.post("/v1/knowledge/collections", { name: "Museum", visibility: "tenant" });
  const path = `/v1/knowledge/collections/${collection.id}/documents`;
  const { body: document } = await client.post(path, { title: "Visiting the museum", text });
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await client.get(`${path}/${document.id}`);
    if (body.status === "ready") return { collection: collection.id, document: document.id };
    await sleep(100);
  }
  throw new Error("The document was never ready");
}

const sourcesIn = (frames: { event: string; data: { sources: { title: string }[] } }[]) =>
  frames.filter(({ event }) => event === "search_transparency").flatMap(({ data }) => data.sources);

describe("knowledge in a chat", () => {
  it("is searched, shown and cited, word for word", async () => {
    const client = new Client();
    const { collection } = await withDocument(client);
    const id = await client.conversation();
    const frames = await client.chat({
      conversation_id: id,
      content: "When was the lamp of the lighthouse lit for the first time?",
    });
    const events = frames.map(({ event }) => event);
    expect(events.indexOf("search_transparency")).toBeGreaterThan(events.indexOf("thinking_step"));
    expect(events.indexOf("thinking_complete")).toBeLessThan(events.indexOf("assistant_message"));
    expect(sourcesIn(frames)[0]).toMatchObject({ title: "Visiting the museum", collection_id: collection });
    expect(streamedText(frames)).toContain("1874");
    const { body } = await client.get(`/v1/conversations/${id}/messages`);
    const citations = body.messages[1].content.filter(({ type }: { type: string }) => type === "citation");
    expect(citations.length).toBeGreaterThan(0);
    for (const { quote } of citations) expect(text.replaceAll(/\s+/g, " ")).toContain(quote.replaceAll(/\s+/g, " "));
  });

  it("is not searched in QUICK, and by several queries in RESEARCH", async () => {
    const client = new Client();
    await withDocument(client);
    const id = await client.conversation();
    const quick = await client.chat({ conversation_id: id, content: "When does it open?", tier: "QUICK" });
    expect(quick.some(({ event }) => event === "search_transparency" || event === "thinking_step")).toBe(false);
    const content = "When does the reading room open? What did the lamp burn?";
    const research = await client.chat({ conversation_id: id, content, tier: "RESEARCH" });
    const searches = research.filter(({ event }) => event === "search_transparency");
    expect(searches.length).toBeGreaterThanOrEqual(2);
    expect(searches.length).toBeLessThanOrEqual(5);
    expect(streamedText(research)).toMatch(/nine in the morning[\s\S]*rapeseed|rapeseed[\s\S]*nine in the morning/);
  });

  it("says so when nothing is found, and shows nothing of other tenants", async () => {
    const owner = new Client();
    await withDocument(owner);
    const stranger = new Client(somebody());
    const id = await stranger.conversation();
    const frames = await stranger.chat({ conversation_id: id, content: "When was the lamp of the lighthouse lit?" });
    expect(sourcesIn(frames)).toEqual([]);
    expect(streamedText(frames)).toContain("I found nothing in your knowledge");
  });
});
