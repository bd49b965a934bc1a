import { describe, expect, it } from "vitest";
import { runEvents } from "#shared/api/conversations/chat-events.ts";
import { type StreamMediaType, streamMediaTypes } from "#shared/api/conversations/stream-media-types.ts";
import { PublicFrames } from "#shared/embed/public-frames.ts";
import type { ConnectionEvent, Frame, PublicEvent, RunEvent } from "#shared/runs/events.ts";
import { FrameFeed } from "#shared/runs/frame-feed.ts";
import { streamFormat } from "#shared/runs/streams/stream-format.ts";
import { sampleMessageId as messageId, sampleEvents, toSampleFrames } from "#test/support/chat/sample-run.ts";
import { checkAgUiEvents, checkAiSdkParts, readUiParts } from "#test/support/chat/stream-checks.ts";

const aiSdk = "text/event-stream;protocol=ai-sdk";
const aiSdk5 = "text/event-stream;protocol=ai-sdk-5";
const agUi = "text/event-stream;protocol=ag-ui";

const reconnect: ConnectionEvent = {
  type: "reconnect",
  data: { message_id: messageId, last_event_id: null, retry_ms: 500 },
};

/** Formats frames, and then events about the connection, as one stream. */
function format(
  mediaType: StreamMediaType,
  frames: readonly Frame<RunEvent | PublicEvent>[],
  { afterSeq = 0, end = [] as readonly ConnectionEvent[] } = {},
): string {
  const stream = streamFormat(mediaType, { messageId, threadId: "conversation-1", afterSeq });
  return [...frames.map(stream.frame), ...end.map(stream.connectionEvent)].join("");
}

const toParts = (mediaType: StreamMediaType, ...args: [readonly Frame<RunEvent | PublicEvent>[], object?]) =>
  readUiParts(format(mediaType, ...args));

const typesOf = (mediaType: StreamMediaType, ...events: readonly RunEvent[]) =>
  toParts(mediaType, toSampleFrames(events)).map(({ type, name }) => name ?? type);

const frames = toSampleFrames(sampleEvents);
const interrupted = (reason: "stopped" | "length" | "provider"): RunEvent => ({
  type: "interrupted",
  data: { message_id: messageId, reason, saved_characters: 3 },
});
const failure: RunEvent = {
  type: "error",
  data: { code: "model_error", message: "It failed.", status: 502, request_id: "r", message_id: messageId },
};
const blocked: RunEvent = {
  type: "guardrail_result",
  data: { stage: "output", action: "block", categories: [], rules: [] },
};
const finalText = (text: string): RunEvent => ({
  type: "assistant_message",
  data: { message_id: messageId, content: [{ type: "text", text }], final: true },
});
const delta = (content: string): RunEvent => ({
  type: "assistant_message",
  data: { message_id: messageId, content, final: false },
});

describe("stream of a run", () => {
  it("in the default format has one frame for each event, with its data only", () => {
    expect(format("text/event-stream", frames.slice(7, 9))).toBe(
      `id: answer-1:8\nevent: assistant_message\ndata: {"message_id":"answer-1","content":"the order.","final":false}\n\n` +
        `id: answer-1:9\nevent: preflight_warning\ndata: {"code":"approval_required","message":"Confirm it.","approval_id":"approval-1"}\n\n`,
    );
    expect(format("text/event-stream", [], { end: [reconnect] })).toBe(
      `event: reconnect\ndata: {"message_id":"answer-1","last_event_id":null,"retry_ms":500}\n\n`,
    );
  });

  it("has all events in the sample run of these tests, apart from two of its ends", () => {
    const types = new Set([...sampleEvents, interrupted("stopped"), failure].map(({ type }) => type));
    expect([...types].sort()).toEqual(Object.keys(runEvents).sort());
  });

  it("as parts of the AI SDK shows reasoning, text, calls with consent and sources", () => {
    const parts = toParts(aiSdk, frames);
    expect(parts.map(({ type }) => type)).toEqual([
      ...["start", "message-metadata", "data-guardrail_result", "data-search_transparency"],
      ...["reasoning-start", "reasoning-delta", "reasoning-delta", "data-thinking_complete"],
      ...["reasoning-end", "text-start", "text-delta", "text-delta", "data-preflight_warning", "text-end"],
      ...["tool-input-available", "tool-approval-request", "data-thinking_step"],
      ...["tool-input-available", "tool-input-available", "tool-output-available", "data-preflight_warning"],
      ...["tool-input-available", "tool-approval-request", "data-thinking_step", "tool-input-available"],
      ...["text-start", "text-delta", "text-delta", "text-end", "source-url", "source-document"],
      ...["data-assistant_message", "data-memory_proposal", "data-phase_latency", "message-metadata"],
      ...["data-execution_trace", "tool-output-available", "finish"],
    ]);
    expect(parts[0]).toEqual({ type: "start", messageId });
    expect(parts[1]).toMatchObject({ messageMetadata: { conversation_id: "conversation-1", model: "model-1" } });
    const [request, , result] = parts.filter(({ toolCallId }) => toolCallId === "call-1").slice(0, 3);
    expect(request).toMatchObject({ toolName: "orders__cancel", title: "Cancel an order", input: { order: 7 } });
    expect(result).toMatchObject({ providerExecuted: true, dynamic: true });
    expect(parts.find(({ type }) => type === "tool-output-available")).toMatchObject({ output: "canceled" });
    expect(parts.find(({ type }) => type === "tool-approval-request")).toEqual({
      ...{ type: "tool-approval-request", approvalId: "approval-1", toolCallId: "call-1" },
    });
    expect(parts.find(({ type }) => type === "source-url")).toMatchObject({
      ...{ sourceId: "1", url: "https://shop.example/terms", title: "Terms" },
      providerMetadata: { switchboard: { quote: "Any time." } },
    });
    expect(parts.find(({ type }) => type === "source-document")).toMatchObject({ sourceId: "2", title: "Manual" });
    expect(parts.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
    expect(format(aiSdk, frames)).toMatch(/id: answer-1:22\ndata: \{"type":"finish".*\}\n\ndata: \[DONE\]\n\n$/);
  });

  it("as parts of the AI SDK 5 has the call to approve in a data part and no request for approval", () => {
    const parts = toParts(aiSdk5, frames);
    expect(parts.filter(({ type }) => type === "tool-approval-request" || type === "tool-output-denied")).toEqual([]);
    const warning = parts.find(({ type }) => type === "data-preflight_warning");
    expect(warning?.data).toMatchObject({ approval_id: "approval-1", call: { call_id: "call-1" } });
    expect(parts.filter(({ type, title }) => type.startsWith("tool-") && title !== undefined)).toEqual([]);
    expect(parts.at(-1)).toEqual({ type: "finish" });
    checkAiSdkParts(parts);
  });

  it("as events of AG-UI shows reasoning, one text message, and calls after their consent", () => {
    const events = toParts(agUi, frames);
    expect(events.map(({ type, name }) => name ?? type)).toEqual([
      ...["RUN_STARTED", "metadata", "guardrail_result", "search_transparency"],
      ...["REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT"],
      ...["thinking_complete", "REASONING_MESSAGE_END", "REASONING_END"],
      ...["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT", "preflight_warning", "thinking_step"],
      ...["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "preflight_warning"],
      ...["thinking_step", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"],
      ...["TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "assistant_message", "memory_proposal"],
      ...["phase_latency", "swtoken_update", "execution_trace", "RUN_FINISHED"],
    ]);
    const run = { threadId: "conversation-1", runId: messageId };
    expect([events[0], events.at(-1)]).toEqual([
      { type: "RUN_STARTED", ...run },
      { type: "RUN_FINISHED", ...run },
    ]);
    const text = events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT").map((event) => event.delta);
    expect(text.join("")).toBe("I cancel the order.\n\nIt is canceled [1][2].");
    expect(events.find(({ type }) => type === "TOOL_CALL_RESULT")).toMatchObject({
      ...{ toolCallId: "call-1", content: "canceled", role: "tool" },
    });
  });

  it("ends with the reason of an interruption, or with the message of an error", () => {
    expect(typesOf(aiSdk, delta("A"), interrupted("stopped")).slice(-3)).toEqual([
      ...["text-end", "data-interrupted", "finish"],
    ]);
    expect(toParts(aiSdk, toSampleFrames([interrupted("length")])).at(-1)).toMatchObject({ finishReason: "length" });
    expect(toParts(aiSdk, toSampleFrames([interrupted("provider")])).at(-1)).toMatchObject({ finishReason: "other" });
    expect(toParts(aiSdk, toSampleFrames([delta("A"), failure])).slice(-3)).toMatchObject([
      ...[{ type: "text-end" }, { type: "data-error" }, { type: "error", errorText: "It failed." }],
    ]);
    expect(typesOf(agUi, delta("A"), interrupted("stopped")).slice(-3)).toEqual([
      ...["TEXT_MESSAGE_END", "interrupted", "RUN_FINISHED"],
    ]);
    expect(toParts(agUi, toSampleFrames([delta("A"), failure])).at(-1)).toEqual({
      ...{ type: "RUN_ERROR", code: "model_error", message: "It failed." },
    });
  });

  it("marks a call without consent as denied, and one that was cut off as failed", () => {
    const [, consent, running] = [8, 8, 10].map((index) => sampleEvents[index] as RunEvent);
    const end = interrupted("stopped");
    const lastCall = (...events: RunEvent[]) => toParts(aiSdk, toSampleFrames([...events, end])).at(-2);
    expect(lastCall(consent as RunEvent)).toMatchObject({ type: "tool-output-denied", toolCallId: "call-1" });
    expect(lastCall(running as RunEvent)).toMatchObject({ type: "tool-output-error", errorText: "interrupted" });
  });

  it("has the replacement of an answer that a check withheld after a part of it was sent", () => {
    const sent = [delta("The secret is"), blocked, finalText("It was withheld.")];
    expect(toParts(aiSdk, toSampleFrames(sent)).filter(({ type }) => type === "text-delta")).toMatchObject([
      ...[{ delta: "The secret is" }, { delta: "It was withheld." }],
    ]);
    const held = [blocked, delta("It was withheld."), finalText("It was withheld.")];
    expect(
      typesOf(agUi, ...toSampleFrames(held).map(({ event }) => event)).filter((t) => /CONTENT/.test(String(t))),
    ).toEqual(["TEXT_MESSAGE_CONTENT"]);
  });

  it("leaves out the arguments' form when they are truncated", () => {
    const { data } = sampleEvents[10] as Extract<RunEvent, { type: "tool_call" }>;
    const truncated: RunEvent = { type: "tool_call", data: { ...data, input: '{"order":7,"rea' } };
    expect(toParts(aiSdk, toSampleFrames([truncated])).at(-1)).toMatchObject({ input: '{"order":7,"rea' });
  });
});

const ends = { done: sampleEvents.at(-1), interrupted: interrupted("stopped"), error: failure };

describe.each(Object.entries(ends))("stream of a run that ends with %s", (_, last) => {
  const events = [...sampleEvents.slice(0, -1), last as RunEvent];

  it.each(streamMediaTypes.slice(1))("is well-formed as %s when it is resumed after any event", (mediaType) => {
    const all = toSampleFrames(events);
    for (const afterSeq of all.keys()) {
      const rest = toParts(mediaType, all.slice(afterSeq), { afterSeq });
      if (mediaType === agUi) checkAgUiEvents(rest);
      else checkAiSdkParts(rest, { isFirst: afterSeq === 0 });
    }
  });

  it.each(streamMediaTypes.slice(1))("is well-formed as %s when its connection ends after any event", (mediaType) => {
    const all = toSampleFrames(events);
    for (let seq = 1; seq < all.length; seq++) {
      const cut = toParts(mediaType, all.slice(0, seq), { end: [reconnect] });
      expect(cut.at(-1)).toMatchObject(mediaType === agUi ? { name: "reconnect" } : { type: "data-reconnect" });
      if (mediaType === agUi) checkAgUiEvents(cut, { isFinished: false });
      else checkAiSdkParts(cut, { isFinished: false });
    }
  });

  it.each(streamMediaTypes)("as %s has the id of each event on its last part", (mediaType) => {
    const all = toSampleFrames(events);
    const ids = format(mediaType, all).match(/^id: .*$/gm);
    expect(ids).toEqual(all.map(({ seq }) => `id: ${messageId}:${seq}`));
  });
});

it.each([aiSdk, agUi] as const)(
  "stream for visitors as %s is well-formed and has only what visitors may see",
  async (mediaType) => {
    const feed = new FrameFeed();
    for (const frame of frames) feed.push(frame);
    const parts = toParts(mediaType, (await new PublicFrames(feed, "m").next(0, 0)) ?? []);
    if (mediaType === agUi) checkAgUiEvents(parts);
    else checkAiSdkParts(parts);
    const types = new Set(parts.map(({ type, name }) => name ?? type));
    for (const type of types)
      expect(type).toMatch(/^(start|text-|source-|(data-)?(assistant_message|tool_card)|finish|RUN_|TEXT_)/);
    expect(JSON.stringify(parts)).not.toMatch(/"s1"|server-1|orders__cancel|"order"|"canceled"/);
  },
);
