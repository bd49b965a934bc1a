import { afterAll, beforeAll, expect, it } from "vitest";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { narrowPolicy } from "#shared/guardrails/narrow-policy.ts";
import { readUiParts } from "#test/support/chat/stream-checks.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite } from "#test/support/embed/site.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { cutAfter, streamText } from "#test/support/models/upstream.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let service: ScriptedService;
let client: Client;
beforeAll(async () => {
  service = await startScriptedService({});
  client = new Client(newIdentity(), service.baseUrl);
});
afterAll(() => service?.stop());

const ask = (conversation_id: string, content: string, headers: Record<string, string> = {}) =>
  client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ conversation_id, content, tier: "QUICK" }),
  });

it("answer that reached the maximum of output tokens says so, in streams, when it is stored and in the next prompt", async () => {
  const id = await client.createConversation();
  service.upstream.script = cutAfter({ content: "First, take the" });
  const parts = readUiParts(await (await ask(id, "How?", { accept: "text/event-stream; protocol=ai-sdk" })).text());
  expect(parts.find(({ type }) => type === "finish")).toMatchObject({ finishReason: "length" });
  const done = (await (await ask(id, "And then?")).text()).split("event: done\ndata: ")[1] ?? "";
  expect(JSON.parse(done)).toMatchObject({ finish_reason: "length" });
  service.upstream.script = streamText(["rope."]);
  await (await ask(id, "Continue")).text();
  const { messages } = (await client.get(`/v1/conversations/${id}/messages`)).body;
  const ends = messages.filter(({ role }: { role: string }) => role === "assistant");
  expect(ends.map((message: Record<string, unknown>) => [message.status, message.finish_reason])).toEqual([
    ["complete", "length"],
    ["complete", "length"],
    ["complete", undefined],
  ]);
  const prompt = service.upstream.requests.findLast(({ body }) => JSON.stringify(body).includes("Continue"));
  const answers = prompt?.body.messages.filter(({ role }: { role: string }) => role === "assistant");
  expect(JSON.stringify(answers).match(/reached its maximum length here/g)?.length).toBe(2);
});

it("answer whose tokens went into reasoning fails with what to do, and is no empty answer", async () => {
  service.upstream.script = cutAfter({ reasoning_content: "Let me think about it." });
  const id = await client.createConversation();
  const response = await ask(id, "How?", { accept: "application/json" });
  const body = (await response.json()) as Record<string, string>;
  expect([response.status, body.code]).toEqual([502, "model_error"]);
  expect(body.detail).toContain("Raise the maximum of the persona");
});

it("answer that the policy blocks is whole, even if the model was cut", async () => {
  const member = new Client(newIdentity(), service.baseUrl);
  await setPolicy(member, { guardrails: narrowPolicy(defaultGuardrailPolicy, { secrets: { answer: "block" } }) });
  service.upstream.script = cutAfter({ content: "Your key is AKIAIOSFODNN7EXAMPLE." });
  const { body } = await member.post(
    "/v1/runtime/chat",
    { conversation_id: await member.createConversation(), content: "My key?", tier: "QUICK" },
    { accept: "application/json" },
  );
  expect([body.content[0].text, body.finish_reason]).toEqual([expect.stringContaining("withheld"), undefined]);
});

it("answer to a visitor that reached the maximum of output tokens does not look complete", async () => {
  service.upstream.script = cutAfter({ content: "First, take the" });
  const site = await createSite(client);
  const session = await site.createSession();
  await site.chat(session, "How?");
  expect((await site.getSession(session)).body.messages[1]).toMatchObject({ status: "interrupted" });
});
