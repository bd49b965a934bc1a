import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  service = await startScriptedService({ env: { LOCAL_LOG: "1" } });
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(() => service?.stop());

/** Returns the messages in the logs of each function that name a request, without the function's prefix. */
function messagesOf(requestId: string): Record<string, string[]> {
  const messages: Record<string, string[]> = {};
  for (const line of service.output) {
    const [, name, text] = /^switchboard-local[-_]([\w-]+): (\{.*\})$/s.exec(line) ?? [];
    if (name === undefined || text === undefined || !text.includes(requestId)) continue;
    messages[name] = [...new Set([...(messages[name] ?? []), String(JSON.parse(text).message)])];
  }
  return messages;
}

it("request for a successful answer is found by its id in the logs of its function, of the change feed and of a job", async () => {
  service.upstream.script = streamText(["Hello"]);
  const conversation_id = await client.createConversation();
  await client.chat({ conversation_id, content: "Go", tier: "QUICK" }, { "x-request-id": "followed-1" });
  await expect
    .poll(() => messagesOf("followed-1"), { interval: 500 })
    .toMatchObject({
      "start-chat": expect.arrayContaining(["request", "run ended"]),
      "changes-cascade": ["changes received"],
      "watch-run": ["job done"],
    });
});

it("request that deletes is found by its id in the log of the change feed", async () => {
  const conversation = await client.createConversation();
  await client.delete(`/v1/conversations/${conversation}`, { "x-request-id": "followed-2" });
  await expect
    .poll(() => messagesOf("followed-2"), { interval: 500 })
    .toMatchObject({
      "delete-conversation": ["request"],
      "changes-cascade": ["changes received"],
    });
});
