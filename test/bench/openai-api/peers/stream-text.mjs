/**
 * Reads streams with the AI SDK's `streamText`, and prints the CPU time of this thread for each token in milliseconds.
 * Arguments: base URL, prompt, number of streams, number of concurrent streams.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";

const [, , baseURL, prompt, streams, concurrency] = process.argv;
const model = createOpenAICompatible({ name: "upstream", baseURL, apiKey: "none" })("gpt-4o");

async function readStreams(count) {
  let remaining = count;
  let tokens = 0;
  const read = async () => {
    while (remaining-- > 0) for await (const _ of streamText({ model, prompt }).textStream) tokens++;
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, read));
  return tokens;
}

await readStreams(Number(streams) / 2);
const before = process.threadCpuUsage();
const tokens = await readStreams(Number(streams));
const { user, system } = process.threadCpuUsage(before);
console.log((user + system) / 1_000 / tokens);
