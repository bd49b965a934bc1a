import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkAiSdkParts, readUiParts } from "#test/support/chat/stream-checks.ts";
import { Client, newIdentity, type ReceivedFrame, readFrames, streamedText } from "#test/support/client.ts";
import { waitForResult } from "#test/support/governance/approvals.ts";
import { type Script, streamText, streamToolCalls, type Upstream } from "#test/support/models/upstream.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let upstream: Upstream;
let service: ScriptedService;
let requester: Client;
let decider: Client;

beforeAll(async () => {
  service = await startScriptedService();
  ({ upstream } = service);
  requester = new Client(newIdentity(), service.baseUrl);
  decider = await createColleague(requester, "admin");
  const { body: policy, headers } = await decider.get("/v1/policy");
  const { version: _, updated_at: __, updated_by: ___, ...rules } = policy;
  const approvals = { ...rules.approvals, tool_execution: "always", risk_level: "high" };
  await decider.put("/v1/policy", { ...rules, approvals }, { "if-match": headers.get("etag") ?? "" });
});

afterAll(() => service?.stop());

const setScripts = (...scripts: readonly Script[]) => {
  upstream.requests.length = 0;
  const pending = [streamText(["note"]), ...scripts];
  upstream.script = (response, request) => (pending.shift() ?? streamText(["Enough."]))(response, request);
};

const toolResults = (): string[] =>
  upstream.requests
    .at(-1)
    ?.body.messages.filter(({ role }: { role: string }) => role === "tool")
    .map(({ content }: { content: string }) =>
      content.replace(/^<tool_result id="(\w+)">\n([\s\S]*)\n<\/tool_result id="\1">$/, "$2"),
    ) ?? [];

const createNoteCall = (title: string) =>
  streamToolCalls(["create_note", JSON.stringify({ title, body: "", tags: [] })]);

/** Sends a message and reads until the run waits for approval; the connection stays open. */
async function chatUntilPaused({
  content = "Note this, please",
  client = requester,
  conversationId = "",
  fields = {} as object,
} = {}) {
  const conversation_id = conversationId || (await requester.createConversation());
  const response = await client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ conversation_id, content, tier: "THOUGHT_PARTNER", ...fields }),
  });
  const stream = readFrames(response);
  const frames: ReceivedFrame[] = [];
  for (let next = await stream.next(); !next.done; next = await stream.next()) {
    frames.push(next.value);
    if (next.value.data.code === "approval_required") break;
  }
  const { approval_id } = frames.at(-1)?.data ?? {};
  return { conversation_id, approval_id, message_id: frames[0]?.data.message_id, frames, stream };
}

const decide = (id: string, decision: object) => decider.post(`/v1/approvals/${id}/decide`, decision);
const listNoteTitles = async () =>
  (await requester.get("/v1/notes")).body.notes.map(({ title }: { title: string }) => title);

async function resume(message_id: string): Promise<ReceivedFrame[]> {
  return Array.fromAsync(readFrames(await requester.fetch(`/v1/runtime/chat/${message_id}/stream`)));
}

it("answer continues with the tenant's own model after an approved tool call, although another function started the answer", async () => {
  const model = { name: "own", model_id: "mistral-large", api_key: "key-of-tenant" };
  expect((await decider.post("/v1/models", model)).status).toBe(201);
  setScripts(createNoteCall("Own model"), streamText(["I noted it."]));
  const { approval_id, stream } = await chatUntilPaused({ fields: { model: "own" } });
  await decide(approval_id, { decision: "approve" });
  const frames = await Array.fromAsync(stream);
  expect([frames.at(-1)?.event, streamedText(frames)]).toEqual(["done", "I noted it."]);
  const { body, authorization } = upstream.requests.at(-1) ?? {};
  expect([body.model, authorization]).toEqual(["mistral-large", "Bearer key-of-tenant"]);
});

it.each([
  ["approve", "tool-output-available"],
  ["deny", "tool-output-denied"],
])(
  "call of a built-in tool is one part for user interfaces, with its end, when an approver answers %s",
  async (decision, end) => {
    setScripts(createNoteCall("Parts"), streamText(["Finished."]));
    const { approval_id, message_id, stream } = await chatUntilPaused();
    await decide(approval_id, { decision });
    await Array.fromAsync(stream);
    const headers = { accept: "text/event-stream; protocol=ai-sdk" };
    const response = await requester.fetch(`/v1/runtime/chat/${message_id}/stream`, { headers });
    const parts = readUiParts(await response.text());
    checkAiSdkParts(parts);
    const own = parts.filter(({ type }) => type.startsWith("tool-"));
    expect(new Set(own.map(({ toolCallId }) => toolCallId)).size).toBe(1);
    expect([own[0]?.toolName, own[1]?.approvalId, own.at(-1)?.type]).toEqual(["create_note", approval_id, end]);
  },
);

it("tool call that requires an approval is executed once approved, and the answer continues on the same connection", async () => {
  setScripts(createNoteCall("Approved"), streamText(["I noted ", "it."]));
  const { approval_id, message_id, conversation_id, frames, stream } = await chatUntilPaused();
  expect(await listNoteTitles()).not.toContain("Approved");
  const { body: approval } = await decider.get(`/v1/approvals/${approval_id}`);
  expect(approval).toMatchObject({
    type: "tool_execution",
    risk_level: "high",
    status: "pending",
    requested_by: requester.identity.user,
    action: { operation: "create_note", params: { title: "Approved" } },
  });
  const { body: paused } = await requester.get(`/v1/conversations/${conversation_id}/messages`);
  expect(paused.messages.at(-1)).toMatchObject({ message_id, status: "streaming" });
  expect((await decide(approval_id, { decision: "approve" })).status).toBe(200);
  frames.push(...(await Array.fromAsync(stream)));
  expect(frames.map(({ id }) => id)).toEqual(frames.map((_, index) => `${message_id}:${index + 1}`));
  expect(frames.at(-1)?.event).toBe("done");
  expect(streamedText(frames)).toBe("I noted it.");
  expect(await listNoteTitles()).toContain("Approved");
  expect(await resume(message_id)).toEqual(frames);
  const { body } = await requester.get(`/v1/conversations/${conversation_id}/messages`);
  expect(body.messages.at(-1)).toMatchObject({ message_id, status: "complete" });
  const { body: after } = await requester.get(`/v1/approvals/${approval_id}`);
  expect(after.result).toEqual({ status: "done" });
});

it("tool call that requires an approval is executed with edited parameters when approved, and not when denied or cancelled", async () => {
  setScripts(createNoteCall("Raw"), streamText(["Done."]));
  const edited = await chatUntilPaused();
  await decide(edited.approval_id, { decision: "edit", params: { title: "Refined" } });
  expect((await resume(edited.message_id)).at(-1)?.event).toBe("done");
  expect(await listNoteTitles()).toContain("Refined");
  expect(await listNoteTitles()).not.toContain("Raw");

  setScripts(createNoteCall("Denied"), streamText(["I may not."]));
  const denied = await chatUntilPaused();
  await decide(denied.approval_id, { decision: "deny", note: "Not in writing" });
  expect(streamedText(await resume(denied.message_id))).toBe("I may not.");
  expect(toolResults().join()).toMatch(/approver denied.*Not in writing/);

  setScripts(createNoteCall("Cancelled"), streamText(["Never mind."]));
  const cancelled = await chatUntilPaused();
  await requester.post(`/v1/approvals/${cancelled.approval_id}/cancel`, {});
  expect(streamedText(await resume(cancelled.message_id))).toBe("Never mind.");
  expect((await listNoteTitles()).filter((title: string) => /Denied|Cancelled/.test(title))).toEqual([]);
});

it("tool that requires an approval needs one for each of several calls in one model response", async () => {
  setScripts(
    streamToolCalls(["create_note", '{"title":"One"}'], ["create_note", '{"title":"Two"}']),
    streamText(["Both noted."]),
  );
  const { approval_id, message_id } = await chatUntilPaused();
  await decide(approval_id, { decision: "approve" });
  let second: string | undefined;
  while (!second) {
    await sleep(100);
    const { body } = await decider.get("/v1/approvals?to_decide=true");
    second = body.approvals.find(
      ({ action }: { action: { params: { title: string } } }) => action.params.title === "Two",
    )?.id;
  }
  await decide(second, { decision: "approve" });
  expect(streamedText(await resume(message_id))).toBe("Both noted.");
  expect(toolResults()).toHaveLength(2);
  expect(await listNoteTitles()).toEqual(expect.arrayContaining(["One", "Two"]));
});

it("tool call that requires an approval is not executed when the answer is stopped while it waits", async () => {
  setScripts(createNoteCall("Stopped"));
  const { approval_id, message_id, conversation_id, frames, stream } = await chatUntilPaused();
  expect((await requester.post(`/v1/runtime/chat/${message_id}/stop`, {})).status).toBe(202);
  frames.push(...(await Array.fromAsync(stream)));
  expect(frames.at(-1)).toMatchObject({ event: "interrupted", data: { reason: "stopped" } });
  const { body } = await requester.get(`/v1/conversations/${conversation_id}/messages`);
  expect(body.messages.at(-1)).toMatchObject({ message_id, status: "interrupted" });
  // Usage before the stop is counted.
  expect(body.messages.at(-1).usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
  expect((await decide(approval_id, { decision: "approve" })).status).toBe(409);
  expect((await requester.get(`/v1/approvals/${approval_id}`)).body.status).toBe("cancelled");
  await sleep(1_000);
  expect(await listNoteTitles()).not.toContain("Stopped");
  expect((await resume(message_id)).at(-1)?.event).toBe("interrupted");
});

it("tool call that requires an approval is not executed for a user who has lost write access to the conversation", async () => {
  setScripts(createNoteCall("Revoked"), streamText(["I noted it."]));
  const colleague = await createColleague(requester);
  const conversationId = await requester.createConversation();
  await shareConversation(requester, conversationId, colleague, "WRITE");
  const { approval_id, message_id } = await chatUntilPaused({ client: colleague, conversationId });
  await requester.delete(`/v1/chat/${conversationId}/share/${colleague.identity.user}`);
  expect((await decide(approval_id, { decision: "approve" })).status).toBe(200);
  expect((await resume(message_id)).at(-1)).toMatchObject({ event: "interrupted", data: { reason: "stopped" } });
  expect((await waitForResult(decider, approval_id)).result).toMatchObject({ status: "failed" });
  expect((await colleague.get("/v1/notes")).body.notes).toEqual([]);
});

it("tool call that requires an approval is not executed when the conversation was deleted, and its approval ends as failed", async () => {
  setScripts(createNoteCall("Deleted"), streamText(["I noted it."]));
  const { approval_id, conversation_id } = await chatUntilPaused();
  expect((await requester.delete(`/v1/conversations/${conversation_id}`)).status).toBe(204);
  expect((await decide(approval_id, { decision: "approve" })).status).toBe(200);
  expect((await waitForResult(decider, approval_id)).result).toMatchObject({ status: "failed" });
  expect(await listNoteTitles()).not.toContain("Deleted");
});

it("tool call that requires an approval is executed once by ten concurrent approvals and cannot be approved by its requester", async () => {
  setScripts(createNoteCall("Once"), streamText(["Done."]));
  const { approval_id, message_id } = await chatUntilPaused();
  expect((await requester.post(`/v1/approvals/${approval_id}/decide`, { decision: "approve" })).status).toBe(403);
  const responses = await Promise.all(Array.from({ length: 10 }, () => decide(approval_id, { decision: "approve" })));
  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect((await resume(message_id)).at(-1)?.event).toBe("done");
  expect((await listNoteTitles()).filter((title: string) => title === "Once")).toEqual(["Once"]);
  expect(upstream.requests).toHaveLength(3);
});
