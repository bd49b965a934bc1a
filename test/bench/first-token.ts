/**
 * Measures the latency that Switchboard adds to the first token of an answer: from the provider's send to the client's
 * receipt. Provider and client run in this process, the service behind the local runner in its own.
 * `node test/bench/first-token.ts [turns]`
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Client, newIdentity, readFrames } from "../support/client.ts";
import { chunk, startEventStream, startUpstream } from "../support/models/upstream.ts";
import { startSwitchboard } from "../support/switchboard.ts";

const turns = Number(process.argv[2] ?? 200);
const warmUpTurns = 20;

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
for (let turn = 0; turn < warmUpTurns + turns; turn++) {
  const response = await client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ conversation_id, content: "Go", tier: "QUICK" }),
  });
  let isReceived = false;
  for await (const { event } of readFrames(response)) {
    if (isReceived || event !== "assistant_message") continue;
    isReceived = true;
    if (turn >= warmUpTurns) delays.push(performance.now() - sentAt);
  }
}
delays.sort((one, other) => one - other);
const percentile = (fraction: number) => `${delays[Math.floor(fraction * (delays.length - 1))]?.toFixed(2)} ms`;
console.log(`first token: p50 ${percentile(0.5)}, p95 ${percentile(0.95)}, max ${percentile(1)} in ${turns} turns`);
await service.stop();
await upstream.stop();
