import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChatEvent, createSwitchboard, isProblem } from "#shared/client/index.ts";
import { Client } from "#test/support/client.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let service: ScriptedService;

beforeAll(async () => {
  service = await startScriptedService({ env: { GUARDRAIL_PROVIDER: "none" } });
});
afterAll(() => service?.stop());

const words = Array.from({ length: 60 }, (_, index) => `word${index} `);

const textOf = (events: readonly ChatEvent[]) =>
  events.map((event) => (event.type === "assistant_message" && !event.data.final ? event.data.content : "")).join("");

/** Creates a client whose connections close after `maxBytes` each, as on a bad network. */
function createUnreliableClient(maxBytes: number) {
  const client = new Client(undefined, service.baseUrl);
  let connections = 0;
  const fetchUnreliably: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!response.headers.get("content-type")?.includes("event-stream")) return response;
    connections += 1;
    let remaining = maxBytes;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        controller.enqueue(bytes.subarray(0, remaining));
        remaining -= bytes.length;
        if (remaining < 0) controller.error(new TypeError("connection lost"));
      },
    });
    return new Response(response.body?.pipeThrough(cut) ?? null, response);
  };
  const switchboard = createSwitchboard({
    baseUrl: service.baseUrl,
    headers: client.headers,
    fetch: fetchUnreliably,
  });
  return { client, switchboard, countConnections: () => connections };
}

it("chat() of the typed client yields every event once when connections are lost in the middle of the reply", async () => {
  service.upstream.script = streamText(words, { pauseMs: 15 });
  const { client, switchboard, countConnections } = createUnreliableClient(2_000);
  const conversationId = await client.createConversation();
  const events = await Array.fromAsync(
    switchboard.chat({ conversation_id: conversationId, content: "Count.", tier: "QUICK" }),
  );
  expect(countConnections()).toBeGreaterThan(2);
  expect(textOf(events)).toBe(words.join(""));
  expect(events.map(({ id }) => Number(id.split(":")[1]))).toEqual(events.map((_, index) => index + 1));
  expect(events.at(-1)?.type).toBe("done");
  const { body } = await client.get(`/v1/conversations/${conversationId}/messages`);
  expect(body.messages).toHaveLength(2);
});

it("chat() of the typed client ends the iteration when the signal aborts, and the answer continues on the server", async () => {
  service.upstream.script = streamText(words, { pauseMs: 10 });
  const { client, switchboard } = createUnreliableClient(Number.POSITIVE_INFINITY);
  const conversationId = await client.createConversation();
  const controller = new AbortController();
  const events: ChatEvent[] = [];
  const read = async () => {
    const request = { conversation_id: conversationId, content: "Count.", tier: "QUICK" } as const;
    for await (const event of switchboard.chat(request, { signal: controller.signal })) {
      events.push(event);
      if (event.type === "assistant_message") controller.abort();
    }
  };
  await expect(read()).rejects.toThrow(/abort/i);
  const messageId = events[0]?.id.split(":")[0] ?? "";
  const rest = await Array.fromAsync(switchboard.followChat({ messageId, lastEventId: events.at(-1)?.id ?? null }));
  expect(textOf([...events, ...rest])).toBe(words.join(""));
});

it("chat() of the typed client throws a problem when the conversation does not exist", async () => {
  const { switchboard } = createUnreliableClient(Number.POSITIVE_INFINITY);
  const failure = await Array.fromAsync(switchboard.chat({ conversation_id: randomUUID(), content: "Hi" })).catch(
    (error) => error,
  );
  expect(isProblem(failure, "not_found")).toBe(true);
});
