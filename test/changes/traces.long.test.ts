import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity, readFrames } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { type OtlpCollector, startOtlpCollector } from "#test/support/otlp-collector.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { type McpServer, startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";

/** Trace of a caller, and the span in it that asks. */
const caller = { trace: "cd".repeat(16), span: "34".repeat(8) };

const usage = {
  prompt_tokens: 1_200,
  completion_tokens: 30,
  total_tokens: 1_230,
  prompt_tokens_details: { cached_tokens: 1_024 },
};

/** Collectors of the deployment, which gets texts, and of the tenant. */
let collectors: readonly [OtlpCollector, OtlpCollector];
let mcp: McpServer;
let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  collectors = [await startOtlpCollector(), await startOtlpCollector()];
  mcp = await startMcpServer();
  mcp.tools = [toolDefinition("lookup"), toolDefinition("send_mail")];
  const env = { OTLP_ENDPOINT: collectors[0].endpoint, OTLP_CONTENT: "on" };
  service = await startScriptedService({ env });
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(async () => {
  await service?.stop();
  await mcp?.stop();
  for (const collector of collectors ?? []) collector.stop();
});

/** Asks a question whose answer searches, calls a tool, and waits for the consent to a second one. */
async function chatWithApproval(conversation_id: string): Promise<void> {
  const scripts = [
    streamToolCalls(["search_knowledge", '{"query":"lamp"}']),
    streamToolCalls(["tickets__lookup", '{"text":"T-1"}']),
    streamToolCalls(["tickets__send_mail", '{"text":"1874"}']),
    streamText(["I told ada@example.com."], { pauseMs: 30, usage }),
  ];
  service.upstream.script = (response, request) =>
    (request.body.tools && scripts.length > 0 ? (scripts.shift() ?? streamText([])) : streamText(["lamp"]))(
      response,
      request,
    );
  const response = await client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json", traceparent: `00-${caller.trace}-${caller.span}-01` },
    body: JSON.stringify({
      conversation_id,
      content: "When was the lamp of the lighthouse lit? Call +1 415 555 2671.",
      tier: "THOUGHT_PARTNER",
    }),
  });
  for await (const { data } of readFrames(response)) {
    if (data.code === "approval_required") {
      expect((await client.post(`/v1/approvals/${data.approval_id}/confirm`, { decision: "approve" })).status).toBe(
        200,
      );
    }
  }
  expect(scripts).toEqual([]);
}

it("trace of a chat with a search, tools and an approval is connected, and is sent once to each collector", async () => {
  const endpoint = { url: collectors[1].endpoint, types: ["run.completed"], format: "otlp" };
  expect((await client.post("/v1/event-endpoints", endpoint)).status).toBe(201);
  await addIndexedDocument(client, {
    title: "Visiting the museum",
    text: "The lamp of the lighthouse was lit in 1874.",
  });
  const { body: server } = await client.post("/v1/tools/servers", {
    ...{ name: "Tickets", url: mcp.url, trusted_tools: ["lookup"] },
    tool_modes: { lookup: "auto", send_mail: "confirm" },
  });
  const tool_servers = [{ server_id: server.id }];
  const { body: persona } = await client.post("/v1/personas", { name: "Clerk", tool_servers });
  const { body: conversation } = await client.post("/v1/conversations", { title: "M", persona_id: persona.id });
  await chatWithApproval(conversation.id);
  const names = [
    ...["invoke_agent", "retrieval", "chat gpt-4o", "execute_tool search_knowledge", "chat gpt-4o"],
    ...["execute_tool tickets__lookup", "chat gpt-4o", "execute_tool tickets__send_mail", "chat gpt-4o"],
  ];
  const sentTo = ({ spans }: OtlpCollector) => spans.filter(({ traceId }) => traceId === caller.trace);
  await expect
    .poll(() => collectors.map((collector) => sentTo(collector).map(({ name }) => name)))
    .toEqual([names, names]);
  // The checks of the run's start and of its resumption are 20 s after each.
  await sleep(8_000);
  for (const collector of collectors) {
    const [root, ...children] = sentTo(collector);
    expect(children).toHaveLength(8);
    expect(root?.parentSpanId).toBe(caller.span);
    expect(new Set(children.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root?.spanId]));
    expect(root?.attributes["switchboard.approval.ids"]).toHaveLength(1);
    expect(children.at(-1)?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.conversation.id": conversation.id,
      "gen_ai.usage.input_tokens": 1_200,
      "gen_ai.usage.output_tokens": 30,
      "gen_ai.usage.cache_read.input_tokens": 1_024,
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
    });
  }
  const [withTexts, withoutTexts] = collectors.map((collector) => JSON.stringify(sentTo(collector)));
  expect(withTexts).toContain("When was the lamp");
  expect(withTexts).not.toMatch(/555 2671|ada@/);
  expect(withoutTexts).not.toMatch(/lamp of|I told/);
});
