import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { Client, newIdentity, type ReceivedFrame, readFrames, streamedText } from "../support/client.ts";
import { startUpstream, streamText } from "../support/models/upstream.ts";
import { startSwitchboard } from "../support/switchboard.ts";

/**
 * Starts many chats at once, each answered with 300 words in six seconds, and compares what every client received with
 * what is stored: `node test/bench/simultaneous-chats.ts [300,500,1000] [rounds]`. The provider runs in a thread of its own.
 * Exits with 1 if an admitted answer is incomplete, empty or stuck, or a refused one left something behind.
 */
const WORDS = 300;
const SECONDS = 6;
const words = Array.from({ length: WORDS }, (_, index) => `word${index} `);
const answer = words.join("").trim();

/** Ways in which a chat ended; all but the first two are faults. */
type Outcome = "complete" | "refused" | "refused but stored" | "told what is missing" | "wrong" | "stuck";

async function chat(client: Client): Promise<Outcome> {
  const conversation_id = await client.createConversation();
  const listMessages = async () =>
    (await client.get(`/v1/conversations/${conversation_id}/messages`)).body.messages as readonly {
      readonly role: string;
      readonly status: string;
      readonly content: readonly { readonly text?: string }[];
    }[];
  const response = await client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ conversation_id, content: "Go", tier: "QUICK" }),
  });
  if (response.status === 503 && response.headers.has("retry-after")) {
    await response.text();
    return (await listMessages()).length === 0 ? "refused" : "refused but stored";
  }
  if (response.status !== 200) return "wrong";
  const frames: ReceivedFrame[] = await Array.fromAsync(readFrames(response));
  for (let attempt = 0; attempt < 60; attempt++) {
    const stored = (await listMessages()).find(({ role }) => role === "assistant");
    if (stored?.status === "streaming") {
      await sleep(1_000);
      continue;
    }
    const text =
      stored?.content
        .map((block) => block.text ?? "")
        .join("\n")
        .trim() ?? "";
    const shown = streamedText(frames).trim();
    if (stored?.status === "complete" && text === answer && shown === answer) return "complete";
    const end = frames.at(-1);
    const isTold = end?.event === "interrupted" && text.startsWith(shown.slice(0, end.data.saved_characters).trim());
    return isTold ? "told what is missing" : "wrong";
  }
  return "stuck";
}

async function main(): Promise<void> {
  const counts = (process.argv[2] ?? "300,500,1000").split(",").map(Number);
  const rounds = Number(process.argv[3] ?? 1);
  const provider = new Worker(new URL(import.meta.url));
  const baseUrl = await new Promise<string>((resolve) => provider.once("message", resolve));
  const service = await startSwitchboard({ env: { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: baseUrl } });
  const client = new Client(newIdentity(), service.baseUrl);
  let faults = 0;
  for (let round = 0; round < rounds; round++) {
    for (const count of counts) {
      const startedAt = performance.now();
      const outcomes = await Promise.all(
        Array.from({ length: count }, () => chat(client).catch(() => "wrong" as const)),
      );
      const byOutcome = Map.groupBy(outcomes, (outcome) => outcome);
      const summary = Array.from(byOutcome, ([outcome, { length }]) => `${outcome} ${length}`).join(", ");
      console.log(`${count} chats: ${summary} in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
      faults += outcomes.filter((outcome) => outcome !== "complete" && outcome !== "refused").length;
    }
  }
  await service.stop();
  await provider.terminate();
  process.exit(faults === 0 ? 0 : 1);
}

if (isMainThread) await main();
else {
  const upstream = await startUpstream(streamText(words, { pauseMs: (SECONDS * 1_000) / WORDS }));
  parentPort?.postMessage(upstream.baseUrl);
}
