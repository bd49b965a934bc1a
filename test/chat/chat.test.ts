import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity, readFrames, streamedText } from "#test/support/client.ts";
import { chunk, errorResponse, startEventStream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

describe("answer to a chat message by the demo model", () => {
  const client = new Client();

  it("answer to a chat message by the demo model is streamed as numbered events from metadata to done, and both messages are stored", async () => {
    const id = await client.createConversation();
    const frames = await client.chat({ conversation_id: id, content: "What is a lighthouse?" });
    const { message_id, user_message_id } = frames[0]?.data ?? {};
    expect(frames.map((frame) => frame.id)).toEqual(frames.map((_, index) => `${message_id}:${index + 1}`));
    expect(frames[0]).toMatchObject({
      event: "metadata",
      data: { conversation_id: id, tier: "THINKING", model: "demo" },
    });
    expect(frames.at(-1)).toMatchObject({ event: "done", data: { message_id } });
    const events = frames.map(({ event }) => event);
    for (const event of ["phase_latency", "swtoken_update", "execution_trace"]) expect(events).toContain(event);
    expect(events.filter((event) => event === "assistant_message").length).toBeGreaterThan(10);

    const { body } = await client.get(`/v1/conversations/${id}/messages`);
    expect(body.messages.map(({ message_id }: { message_id: string }) => message_id)).toEqual([
      user_message_id,
      message_id,
    ]);
    const final = frames.find(({ event, data }) => event === "assistant_message" && data.final);
    expect(body.messages[1]).toMatchObject({ role: "assistant", status: "complete", content: final?.data.content });
    expect(body.messages[1].usage).toEqual(frames.find(({ event }) => event === "swtoken_update")?.data);
    expect(frames.at(-1)?.data.block_count).toBe(final?.data.content.length);
  });

  it("answer to a chat message by the demo model is returned as one message to a client that accepts JSON only", async () => {
    const id = await client.createConversation();
    const { status, body } = await client.post(
      "/v1/runtime/chat",
      { conversation_id: id, content: "Hi" },
      { accept: "application/json" },
    );
    expect([status, body.role, body.status]).toEqual([200, "assistant", "complete"]);
  });

  it("chat message that is invalid or belongs to no conversation is refused with an error, and nothing is stored", async () => {
    const id = await client.createConversation();
    for (const [body, status] of [
      [{ conversation_id: id, content: "" }, 400],
      [{ conversation_id: id, content: "x".repeat(32_001) }, 400],
      [{ conversation_id: id }, 400],
      [{ content: "Hi" }, 400],
      [{ conversation_id: id, content: "Hi", tier: "SLOW" }, 400],
      [{ conversation_id: id, content: "Hi", mood: "good" }, 400],
      [{ conversation_id: "nope", content: "Hi" }, 404],
    ] as const) {
      expect((await client.post("/v1/runtime/chat", body)).status).toBe(status);
    }
    expect((await client.get(`/v1/conversations/${id}/messages`)).body.messages).toEqual([]);
  });

  it("chat message of the maximum length is accepted and stored unchanged", async () => {
    const id = await client.createConversation();
    const content = "ü".repeat(32_000);
    await client.chat({ conversation_id: id, content });
    expect((await client.get(`/v1/conversations/${id}/messages`)).body.messages[0].content).toEqual([
      { type: "text", text: content },
    ]);
  });
});

describe("answer to a chat message by an OpenAI-compatible provider", () => {
  let upstream: Upstream;
  let service: ScriptedService;
  let client: Client;

  beforeAll(async () => {
    service = await startScriptedService({ env: { MODEL_API_KEY: "sk-test" } });
    ({ upstream } = service);
    client = new Client(newIdentity(), service.baseUrl);
  });

  afterAll(() => service?.stop());

  it("answer to a chat message by an OpenAI-compatible provider has its stream opened before the model responds, and text is sent as it arrives", async () => {
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    upstream.script = async (response) => {
      await gates[0]?.promise;
      startEventStream(response);
      response.write(chunk({ role: "assistant", content: "one" }));
      await gates[1]?.promise;
      response.write(chunk({ content: " two" }));
      await gates[2]?.promise;
      response.write(chunk({}, { finish_reason: "stop" }));
      response.end("data: [DONE]\n\n");
    };
    const id = await client.createConversation();
    const response = await client.fetch("/v1/runtime/chat", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ conversation_id: id, content: "Count" }),
    });
    const receivedChunks: string[] = [];
    // The provider continues only after the previous chunk was received, so buffering would deadlock the test.
    for await (const { event, data } of readFrames(response)) {
      if (event === "metadata") gates[0]?.resolve();
      if (event !== "assistant_message" || data.final) continue;
      receivedChunks.push(data.content);
      gates[receivedChunks.length]?.resolve();
    }
    expect(receivedChunks).toEqual(["one", " two"]);
  });

  it("answer to a chat message by an OpenAI-compatible provider is requested with the earlier messages, and the provider's token usage is stored", async () => {
    upstream.script = streamText(["Blue", "."], {
      usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
    });
    const id = await client.createConversation();
    await client.chat({ conversation_id: id, content: "My favorite color?" });
    const frames = await client.chat({ conversation_id: id, content: "Sure?" });
    const { body, authorization } = upstream.requests.at(-1) ?? {};
    expect(authorization).toBe("Bearer sk-test");
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(streamedText(frames)).toBe("Blue.");
    expect(frames.find(({ event }) => event === "swtoken_update")?.data).toEqual({
      input_tokens: 1_000,
      output_tokens: 100,
      total_tokens: 1_100,
      cost_usd: 0.0035,
      model: "gpt-4o",
    });
  });

  it("answer to a chat message by an OpenAI-compatible provider is regenerated from the messages before it only", async () => {
    upstream.script = streamText(["Fine."]);
    const id = await client.createConversation();
    const sendMessage = (content: string) => client.chat({ conversation_id: id, content, tier: "QUICK" });
    await sendMessage("My name is Zebedee.");
    const frames = await sendMessage("What is my name?");
    for (let turn = 0; turn < 21; turn++) await sendMessage("Continue.");
    await client.chat({ conversation_id: id, regenerate_message_id: frames.at(-1)?.data.message_id, tier: "QUICK" });
    const [, ...history] = upstream.requests.at(-1)?.body.messages ?? [];
    expect(history.map(({ content }: { content: string }) => content)).toEqual([
      "My name is Zebedee.",
      "Fine.",
      expect.stringMatching(/^\(Today is [\d-]+\.\)\n\nWhat is my name\?$/),
    ]);
  });

  it("answer to a chat message by an OpenAI-compatible provider keeps its partial text when the stream breaks, and reports an error when the provider refuses", async () => {
    upstream.script = async (response) => {
      startEventStream(response);
      response.write(chunk({ role: "assistant", content: "Half an ans" }));
      setTimeout(() => response.destroy(), 50);
    };
    const id = await client.createConversation();
    const interruptedFrames = await client.chat({ conversation_id: id, content: "Tell me" });
    expect(interruptedFrames.at(-1)).toMatchObject({
      event: "interrupted",
      data: { reason: "provider", saved_characters: 11 },
    });
    upstream.script = errorResponse(401, "Incorrect API key provided: sk-secret");
    const failedFrames = await client.chat({ conversation_id: id, content: "And now?" });
    expect(failedFrames.at(-1)).toMatchObject({ event: "error", data: { code: "model_error", status: 502 } });
    expect(JSON.stringify(failedFrames)).not.toContain("sk-secret");
    const { body } = await client.get(`/v1/conversations/${id}/messages`);
    expect(body.messages.map(({ status }: { status: string }) => status)).toEqual([
      "complete",
      "interrupted",
      "complete",
      "failed",
    ]);
    expect(body.messages[1].content).toEqual([{ type: "text", text: "Half an ans" }]);
    expect(body.messages[1]).not.toHaveProperty("error");
    expect(body.messages[3].error).toEqual({ code: "model_error", message: failedFrames.at(-1)?.data.message });
  });

  it.each([
    ["application/json", "application/json"],
    ["text/html, application/json", "application/json"],
    ["text/event-stream;q=0.5, application/json", "application/json"],
    ["application/json;q=0.1, text/event-stream", "text/event-stream"],
    ["*/*", "text/event-stream"],
  ])(
    "answer to a chat message by an OpenAI-compatible provider has the media type that `Accept: %s` prefers",
    async (accept, mediaType) => {
      upstream.script = streamText(["Fine."]);
      const conversation_id = await client.createConversation();
      const response = await client.fetch("/v1/runtime/chat", {
        method: "POST",
        headers: { "content-type": "application/json", accept },
        body: JSON.stringify({ conversation_id, content: "Hello", tier: "QUICK" }),
      });
      await response.text();
      expect(response.headers.get("content-type")).toContain(mediaType);
    },
  );

  it("answer to a chat message by an OpenAI-compatible provider is requested with alternating roles after an earlier answer failed", async () => {
    const id = await client.createConversation();
    upstream.script = errorResponse(500, "broken");
    await client.chat({ conversation_id: id, content: "First question" });
    upstream.script = streamText(["An", "swer"]);
    await client.chat({ conversation_id: id, content: "Second question" });
    const [, ...history] = upstream.requests.at(-1)?.body.messages ?? [];
    const content = expect.stringMatching(
      /^\(This question was not answered.*\)\nFirst question\n\n[\s\S]*Second question$/,
    );
    expect(history).toEqual([{ role: "user", content }]);
  });

  describe("with content that the table cannot store as it is", () => {
    /** Streams the chunks and returns the last frame and the stored message. */
    async function streamAnswer(...chunks: string[]) {
      upstream.script = streamText(chunks);
      const conversation_id = await client.createConversation();
      const frames = await client.chat({ conversation_id, content: "Draw", tier: "QUICK" });
      const { body } = await client.get(`/v1/conversations/${conversation_id}/messages`);
      return { end: frames.at(-1), message: body.messages.at(-1) };
    }

    it("answer of an OpenAI-compatible provider keeps a diagram with numbers beyond JavaScript's safe integers", async () => {
      const { end, message } = await streamAnswer(
        '```vega-lite\n{"data":{"values":[{"ns":1790000000000000000}]}}\n```',
      );
      expect(end?.event).toBe("done");
      expect(message.content).toEqual([{ type: "vega", spec: { data: { values: [{ ns: 1.79e18 }] } } }]);
    });

    it("answer of an OpenAI-compatible provider keeps a diagram as a code block when DynamoDB cannot store its numbers", async () => {
      for (const spec of ['{"a":'.repeat(40) + 1 + "}".repeat(40), '{"a":1e200}']) {
        const { end, message } = await streamAnswer(`\`\`\`vega-lite\n${spec}\n\`\`\``);
        expect(end?.event).toBe("done");
        expect(message.content).toEqual([{ type: "code", language: "vega-lite", code: spec }]);
      }
    });

    it("answer of an OpenAI-compatible provider is stored with a replacement character for each unpaired surrogate", async () => {
      const { end, message } = await streamAnswer("Half \ud83d", " a smile, and ", "\ud83d", "\ude00");
      expect([end?.event, message.status]).toEqual(["done", "complete"]);
      expect(message.content).toEqual([{ type: "text", text: "Half \ufffd a smile, and 😀" }]);
    });

    it("answer of an OpenAI-compatible provider is interrupted at the size limit of a message and keeps the text before the limit", async () => {
      const { end, message } = await streamAnswer(...Array.from({ length: 300 }, () => `${"言葉 ".repeat(500)}\n\n`));
      expect(end).toMatchObject({ event: "interrupted" });
      expect(message.status).toBe("interrupted");
      expect(JSON.stringify(message.content).length).toBeGreaterThan(90_000);
    });
  });
});
