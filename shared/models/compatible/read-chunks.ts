import { ServiceError } from "../../lib/errors.ts";
import { EventParser } from "../../lib/event-parser.ts";
import { type ProviderResponse, readText } from "../../lib/outgoing/post-to-provider.ts";
import { type ChatChunk, type ChatCompletion, parseChoices } from "../chat-chunk.ts";
import { connectionLost } from "../supervise-stream.ts";
import { joinText } from "./join-text.ts";
import { isDone, readEvents } from "./read-events.ts";

/** Converts the JSON of an answer that the provider did not stream to a chunk. */
function toChunk(json: string): ChatChunk {
  const { choices, ...fields }: ChatCompletion = parseChoices(json, "message");
  const toDelta = (message: Readonly<Record<string, unknown>>) => {
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    return { ...message, ...(calls.length > 0 && { tool_calls: calls.map((call, index) => ({ index, ...call })) }) };
  };
  return { ...fields, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: toDelta(message) })) };
}

/** Returns true if the data of an event can be a chunk. Keep-alive texts, `null` and lists of gateways are none. */
const canBeChunk = (data: string) => data.trimStart().startsWith("{");

/**
 * Reads the chunks of a provider's stream. Texts that arrive in one network packet are joined to one chunk, because each chunk
 * is checked, redacted and sent for itself.
 * @throws the provider's error; `connectionLost` if the stream is cut off; `model_error` if it has no answer
 */
export async function* readChunks(response: ProviderResponse): AsyncGenerator<ChatChunk, void> {
  let events: AsyncIterable<readonly string[]> | Iterable<readonly string[]> = readEvents(response.body);
  if (/^application\/json\b/i.test(response.headers["content-type"] ?? "")) {
    // Some providers ignore `stream`, and some name the wrong type for a stream.
    const text = await readText(response);
    if (text.trimStart().startsWith("{")) {
      yield toChunk(text);
      return;
    }
    const parser = new EventParser();
    events = [[...parser.push(Buffer.from(text)), ...parser.end()]];
  }
  let isFinished = false;
  let isEnded = false;
  let hasChoices = false;
  for await (const list of events) {
    let last: ChatChunk | null = null;
    for (const data of list) {
      isEnded ||= isDone(data);
      if (!canBeChunk(data)) continue;
      let chunk: ChatChunk;
      try {
        chunk = parseChoices(data, "delta");
        // Only the usage may follow the end.
        if (isEnded) chunk = { ...chunk, choices: [] };
      } catch (error) {
        if (last) yield last;
        throw error;
      }
      hasChoices ||= chunk.choices.length > 0;
      isFinished ||= chunk.choices.some(({ finish_reason }) => finish_reason);
      if (last && joinText(last, chunk)) continue;
      if (last) yield last;
      last = chunk;
    }
    if (last) yield last;
  }
  if (!isFinished && !isEnded) throw connectionLost();
  if (!hasChoices) throw new ServiceError("model_error", "The model returned an empty answer.");
}
