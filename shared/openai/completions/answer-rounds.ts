import type { ChatChunk, ChatCompletion, ChatToolCall } from "../../models/chat-chunk.ts";
import type { ModelRequest } from "../model-request.ts";
import { AnswerCalls } from "./answer-calls.ts";
import type { CompletionWriter, Delta } from "./completion.ts";
import { isTextField, toText } from "./delta-fields.ts";
import type { Round, ToolRounds } from "./tool-rounds.ts";

/**
 * Collects one response of the model, which may call tools of this service. Tool calls and the finish reason are held
 * back until it is known whether they end the answer.
 */
class ReceivedRound implements Round {
  readonly #calls = new AnswerCalls(null);
  readonly held: ChatChunk[] = [];
  readonly texts: Record<string, string> = {};
  isCut = false;

  /** Returns a chunk without its tool calls and finish reasons, which are held back. */
  take(chunk: ChatChunk): ChatChunk {
    const choices = chunk.choices.map((choice) => {
      const { tool_calls, ...delta } = choice.delta;
      const { index, finish_reason = null } = choice;
      for (const [name, value] of Object.entries(delta)) {
        if (isTextField(name)) this.texts[name] = (this.texts[name] ?? "") + (toText(value) ?? "");
      }
      if (Array.isArray(tool_calls)) this.#calls.take(tool_calls);
      this.isCut ||= finish_reason === "length";
      if (tool_calls || finish_reason) {
        this.held.push({ choices: [{ index, delta: tool_calls ? { tool_calls } : {}, finish_reason }] });
      }
      return { ...choice, delta, finish_reason: null };
    });
    return { ...chunk, choices };
  }

  end(): void {
    this.#calls.end(this.isCut);
  }

  get calls(): readonly ChatToolCall[] {
    return this.#calls.list();
  }
}

/**
 * Removes the calls of the service's tools from the last response. Called when the maximum number of rounds is used up;
 * the caller's calls remain.
 */
function withoutOwnCalls({ calls, isCut }: Round, rounds: ToolRounds) {
  const rest = calls.filter((call) => !rounds.isOwn(call));
  return { rest, finish_reason: isCut ? "length" : rest.length > 0 ? "tool_calls" : "stop" };
}

interface RoundOptions {
  /**
   * True if the request requires JSON. Only the text of the last round is then returned, because several rounds would
   * not form one JSON value.
   */
  readonly isStructured: boolean;
}

/**
 * Streams an answer in rounds: yields the deltas of each response, runs the service's tools that it calls, and sends
 * their results to the model for the next response.
 */
export async function* streamRounds(
  first: AsyncIterable<ChatChunk>,
  rounds: ToolRounds,
  writer: CompletionWriter,
  open: (request: ModelRequest) => Promise<AsyncIterable<ChatChunk>>,
  { isStructured }: RoundOptions,
): AsyncGenerator<Delta, void> {
  let hasText = false;
  for (let chunks = first; ; ) {
    const round = new ReceivedRound();
    const buffered: ChatChunk[] = [];
    let usage = rounds.addUsage(null);
    let startsParagraph = hasText;
    for await (const chunk of chunks) {
      if (chunk.usage) usage = rounds.addUsage(chunk.usage);
      const passed = { ...round.take(chunk), ...(chunk.usage && usage && { usage }) };
      if (isStructured) {
        buffered.push(passed);
        continue;
      }
      const isText = Boolean(toText(passed.choices[0]?.delta.content));
      if (isText && startsParagraph) yield* writer.take({ choices: [{ index: 0, delta: { content: "\n\n" } }] });
      startsParagraph &&= !isText;
      hasText ||= isText;
      yield* writer.take(passed);
    }
    round.end();
    const calls = writer.isWithheld ? [] : rounds.takeCalls(round);
    if (calls.length === 0) {
      for (const chunk of buffered) yield* writer.take(chunk);
      if (!round.calls.some((call) => rounds.isOwn(call))) {
        for (const chunk of round.held) yield* writer.take(chunk);
        return;
      }
      const { rest, finish_reason } = withoutOwnCalls(round, rounds);
      const tool_calls = rest.map((call, index) => ({ index, ...call }));
      const delta = tool_calls.length > 0 ? { tool_calls } : {};
      yield* writer.take({ choices: [{ index: 0, delta, finish_reason }] });
      return;
    }
    writer.reported = usage;
    const request = await rounds.run(calls, round, usage);
    yield* writer.protect(request.protection);
    chunks = await open(request);
  }
}

/**
 * Generates an answer in rounds without streaming: runs the service's tools that a response calls, and requests the
 * next response. Returns the last response with the texts and the usage of all rounds.
 */
export async function completeRounds(
  first: ChatCompletion,
  rounds: ToolRounds,
  writer: CompletionWriter,
  request: (request: ModelRequest) => Promise<ChatCompletion>,
  { isStructured }: RoundOptions,
): Promise<ChatCompletion> {
  const texts: string[] = [];
  for (let completion = first; ; ) {
    const usage = rounds.addUsage(completion.usage);
    writer.reported = usage;
    const [choice, ...others] = completion.choices;
    const { tool_calls: received, ...message } = choice?.message ?? {};
    const tool_calls = Array.isArray(received) ? received.map((call, index) => ({ index, ...call })) : [];
    const round = new ReceivedRound();
    const { finish_reason = null } = choice ?? {};
    round.take({ choices: [{ index: 0, delta: { ...message, tool_calls }, finish_reason }] });
    round.end();
    const calls = rounds.takeCalls(round);
    if (round.texts.content && (calls.length === 0 || !isStructured)) texts.push(round.texts.content);
    if (calls.length === 0) {
      const isExhausted = round.calls.some((call) => rounds.isOwn(call));
      const end = isExhausted ? withoutOwnCalls(round, rounds) : { rest: received as ChatToolCall[], finish_reason };
      const content = texts.length > 0 ? texts.join("\n\n") : (message.content ?? null);
      const last = { ...message, content, ...(end.rest?.length > 0 && { tool_calls: end.rest }) };
      const { finish_reason: reason } = end;
      return {
        ...completion,
        ...(usage && { usage }),
        choices: [{ index: 0, ...choice, message: last, finish_reason: reason }, ...others],
      };
    }
    const next = await rounds.run(calls, round, usage);
    writer.protect(next.protection);
    completion = await request(next);
  }
}
