import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, somebody } from "#test/support/client.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startUpstream, streamOf, type Upstream } from "#test/support/upstream.ts";

describe("an answer that is hard to keep", () => {
  let upstream: Upstream;
  let service: Switchboard;
  let client: Client;

  beforeAll(async () => {
    upstream = await startUpstream();
    service = await startSwitchboard({
      env: { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl, MODEL_ID: "gpt-4o" },
    });
    client = new Client(somebody(), service.baseUrl);
  });

  afterAll(async () => {
    await service?.stop();
    await upstream?.stop();
  });

  /** How a stream of these pieces ends, and what is kept of it. */
  async function said(...pieces: string[]) {
    upstream.script = streamOf(pieces);
    const conversation_id = await client.conversation();
    const frames = await client.chat({ conversation_id, content: "Draw", tier: "QUICK" });
    const { body } = await client.get(`/v1/conversations/${conversation_id}/messages`);
    return { end: frames.at(-1), message: body.messages.at(-1) };
  }

  it("has a diagram with numbers beyond those of JavaScript", async () => {
    const { end, message } = await said('```vega-lite\n{"data":{"values":[{"ns":1790000000000000000}]}}\n```');
    expect(end?.event).toBe("done");
    expect(message.content).toEqual([{ type: "vega", spec: { data: { values: [{ ns: 1.79e18 }] } } }]);
  });

  it("has a diagram that nobody could keep: it is the code it is", async () => {
    for (const spec of ['{"a":'.repeat(40) + 1 + "}".repeat(40), '{"a":1e200}']) {
      const { end, message } = await said(`\`\`\`vega-lite\n${spec}\n\`\`\``);
      expect(end?.event).toBe("done");
      expect(message.content).toEqual([{ type: "code", language: "vega-lite", code: spec }]);
    }
  });

  it("has half a character", async () => {
    const { end, message } = await said("Half \ud83d", " a smile, and ", "\ud83d", "\ude00");
    expect([end?.event, message.status]).toEqual(["done", "complete"]);
    expect(message.content).toEqual([{ type: "text", text: "Half \ufffd a smile, and 😀" }]);
  });

  it("has more than a message holds: what there was is kept", async () => {
    const { end, message } = await said(...Array.from({ length: 300 }, () => `${"言葉 ".repeat(500)}\n\n`));
    expect(end).toMatchObject({ event: "interrupted" });
    expect(message.status).toBe("interrupted");
    expect(JSON.stringify(message.content).length).toBeGreaterThan(90_000);
  });
});
