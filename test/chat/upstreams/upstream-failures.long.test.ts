import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity, streamedText } from "#test/support/client.ts";
import { chunk, errorResponse, type Script, startEventStream, type Upstream } from "#test/support/models/upstream.ts";
import { sized } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

const runs = sized({ usual: 10, full: 25, soak: 50 });

let upstream: Upstream;
let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  service = await startScriptedService();
  ({ upstream } = service);
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(() => service?.stop());

/** Streams the given number of chunks and then fails. */
function failAfter(chunkCount: number, fail: (response: Parameters<Script>[0]) => void): Script {
  return async (response) => {
    startEventStream(response);
    response.write(chunk({ role: "assistant", content: "" }));
    for (let n = 0; n < chunkCount; n++) {
      response.write(chunk({ content: `chunk${n} ` }));
      await sleep(10);
    }
    fail(response);
  };
}

/** Ways in which a provider's stream can fail. */
const failures: readonly ((response: Parameters<Script>[0]) => void)[] = [
  (response) => response.destroy(),
  (response) => response.end(),
  (response) => response.end('data: {"error":{"message":"overloaded","type":"server_error","code":529}}\n\n'),
  (response) => response.end("data: {not json\n\n"),
  (response) => response.end('data: {"choices":[{"index":0,"delta":'),
];

it(`failure of the model provider keeps the streamed text and counts usage once when it occurs within an answer, in ${runs} runs`, async () => {
  let expected = 0;
  for (let n = 0; n < runs; n++) {
    const chunkCount = n % 7;
    upstream.script = failAfter(chunkCount, failures[n % failures.length] ?? (() => {}));
    const id = await client.createConversation();
    const frames = await client.chat({ conversation_id: id, content: "Go", tier: "QUICK" });
    const expectedText = Array.from({ length: chunkCount }, (_, index) => `chunk${index} `).join("");
    expect(streamedText(frames), `run ${n}`).toBe(expectedText);
    expect(frames.at(-1)?.event, `run ${n}`).toBe(chunkCount > 0 ? "interrupted" : "error");
    const [, answer] = (await client.get(`/v1/conversations/${id}/messages`)).body.messages;
    expect(answer.status).toBe(chunkCount > 0 ? "interrupted" : "failed");
    expect(answer.content.map(({ text }: { text: string }) => text.trim()).join("")).toBe(expectedText.trim());
    expect(answer.usage === null).toBe(chunkCount === 0);
    expected += answer.usage?.total_tokens ?? 0;
  }
  for (let attempt = 0; ; attempt++) {
    const { body } = await client.get("/v1/usage");
    if (body.totals.total_tokens === expected) break;
    expect(body.totals.total_tokens).toBeLessThan(expected);
    expect(attempt).toBeLessThan(300);
    await sleep(100);
  }
});

it("failure of the model provider is reported as an error event with a code when it occurs before the first token", async () => {
  for (const [status, code] of [
    [429, "model_overloaded"],
    [500, "unavailable"],
    [401, "model_error"],
    [400, "model_error"],
  ] as const) {
    upstream.script = errorResponse(status, "no", { "retry-after": "0" });
    const id = await client.createConversation();
    const frames = await client.chat({ conversation_id: id, content: "Go", tier: "QUICK" });
    expect(frames.at(-1), String(status)).toMatchObject({ event: "error", data: { code } });
  }
});
