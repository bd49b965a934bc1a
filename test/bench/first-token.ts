/**
 * How long the first token of an answer is on its way through Switchboard: from the moment the provider sends it to the
 * moment a client has it. Provider and client are in this process, the service in its own, with the whole local runner
 * in between. `node test/bench/first-token.ts [turns]`
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Client, newIdentity, readFrames } from "../support/client.ts";
import { chunk, startEventStream, startUpstream } from "../support/models/upstream.ts";
import { startSwitchboard } from "../support/switchboard.ts";

const turns = Number(process.argv[2] ?? 200);
const warmUp = 20;

let sentAt = 0;
const upstream = await startUpstream(async (response) => {
  startEventStream(response);
  response.write(chunk({ role: "assistant", content: "" }));
  await sleep(30);
  sentAt = performance.now();
  response.write(chunk({ content: "first" }));
  await sleep(5);
  response.write(chunk({}, { finish_reason: "stop" }));
  response.end("data: [DONE]\n\n");
});
const service = await startSwitchboard({
  env: { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: upstream.baseUrl },
});
const client = new Client(newIdentity(), service.baseUrl);
const conversation_id = await client.createConversation();

const delays: number[] = [];
for (let turn = 0; turn < warmUp + turns; turn++) {
  const response = await client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ conversation_id, content: "Go", tier: "QUICK" }),
  });
  let seen = false;
  for await (const { event } of readFrames(response)) {
    if (seen || event !== "assistant_message") continue;
    seen = true;
    if (turn >= warmUp) delays.push(performance.now() - sentAt);
  }
}
delays.sort((one, other) => one - other);
const at = (part: number) => `${delays[Math.floor(part * (delays.length - 1))]?.toFixed(2)} ms`;
console.log(`first token after ${at(0.5)} (median), ${at(0.95)} (95 %), ${at(1)} (longest) in ${turns} turns`);
await service.stop();
await upstream.stop();
