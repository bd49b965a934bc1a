import { describe, expect, it } from "vitest";
import { checkAgUiEvents, checkAiSdkParts, readUiParts, type UiPart } from "#test/support/chat/stream-checks.ts";
import { Client, readFrames, streamedText } from "#test/support/client.ts";
import { createSite } from "#test/support/embed/site.ts";

const client = new Client();
const aiSdk = "text/event-stream; protocol=ai-sdk";
const agUi = "text/event-stream; protocol=ag-ui";

const textOf = (parts: readonly UiPart[]) =>
  parts.flatMap(({ type, delta }) => (/^text-delta$|^TEXT_MESSAGE_CONTENT$/.test(type) ? [delta] : [])).join("");

const send = (conversation_id: string, accept: string, content = "What is a lighthouse?") =>
  client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify({ conversation_id, content }),
  });

const follow = (messageId: string, accept: string, lastEventId = "") =>
  client.fetch(`/v1/runtime/chat/${messageId}/stream`, { headers: { accept, "last-event-id": lastEventId } });

describe("stream of an answer for user interfaces", () => {
  it("is chosen by the header Accept, and follows the rules of its protocol", async () => {
    const conversation = await client.createConversation();
    const response = await send(conversation, aiSdk);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    const parts = readUiParts(await response.text());
    checkAiSdkParts(parts);
    const messageId = String(parts[0]?.messageId);

    const events = readUiParts(await (await follow(messageId, agUi)).text());
    checkAgUiEvents(events);
    expect(events[0]).toEqual({ type: "RUN_STARTED", threadId: conversation, runId: messageId });
    const frames = await Array.fromAsync(readFrames(await follow(messageId, "text/event-stream")));
    expect(textOf(parts)).toBe(streamedText(frames));
    expect(textOf(events)).toBe(streamedText(frames));
  });

  it("is the default one for other values of Accept", async () => {
    const conversation = await client.createConversation();
    for (const accept of ["*/*", "text/event-stream", "text/event-stream; protocol=unknown", "text/html"]) {
      const response = await send(conversation, accept);
      expect(response.headers.has("x-vercel-ai-ui-message-stream")).toBe(false);
      expect((await response.text()).startsWith("id: "), accept).toBe(true);
    }
  });

  it("can be resumed in the middle of a text, in another protocol too", async () => {
    const response = await send(await client.createConversation(), "text/event-stream");
    const frames = await Array.fromAsync(readFrames(response));
    const deltas = frames.filter(({ event, data }) => event === "assistant_message" && !data.final);
    const middle = deltas[Math.floor(deltas.length / 2)];
    const rest = streamedText(deltas.slice(deltas.indexOf(middle as never) + 1));
    const messageId = frames[0]?.data.message_id;
    const parts = readUiParts(await (await follow(messageId, aiSdk, middle?.id)).text());
    checkAiSdkParts(parts, { isFirst: false });
    const events = readUiParts(await (await follow(messageId, agUi, middle?.id)).text());
    checkAgUiEvents(events);
    expect([textOf(parts), textOf(events)]).toEqual([rest, rest]);
    expect((await follow(messageId, aiSdk, frames.at(-1)?.id)).status).toBe(204);
  });

  it("is a problem in JSON when the request fails before the answer", async () => {
    const response = await send("00000000-0000-7000-8000-000000000000", aiSdk);
    expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  });

  it("is available in the session of a widget, with what visitors may see", async () => {
    const site = await createSite(client, { persona: {} });
    const session = await site.createSession();
    const parts = readUiParts(await (await site.sendMessage(session, "Hi", { accept: aiSdk })).text());
    checkAiSdkParts(parts);
    const types = new Set(parts.map(({ type }) => type));
    expect([...types].filter((type) => !/^(start|text-|data-assistant_message|finish)/.test(type))).toEqual([]);
    const path = `/v1/embed/sessions/${session}/messages/${parts[0]?.messageId}/stream`;
    const events = readUiParts(await (await site.fetch("GET", path, undefined, { accept: agUi })).text());
    checkAgUiEvents(events);
    expect([textOf(events), events[0]?.threadId]).toEqual([textOf(parts), session]);
  });
});
