import type {
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { ChatChunk, ChatCompletion, ChunkChoice, ReportedUsage } from "./chat-chunk.ts";

const sdkFinishReasons: Readonly<Record<LanguageModelV4FinishReason["unified"], string>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "stop",
  interrupted: "stop",
  other: "stop",
};

/** Converts usage to OpenAI's format; undefined if the provider reports none. */
function toReportedUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): ReportedUsage | undefined {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined;
  return {
    prompt_tokens: inputTokens.total,
    completion_tokens: outputTokens.total,
    total_tokens: inputTokens.total + outputTokens.total,
    ...(inputTokens.cacheRead !== undefined && {
      prompt_tokens_details: {
        cached_tokens: inputTokens.cacheRead,
        ...(inputTokens.cacheWrite && { cache_write_tokens: inputTokens.cacheWrite }),
      },
    }),
    ...(outputTokens.reasoning !== undefined && {
      completion_tokens_details: { reasoning_tokens: outputTokens.reasoning },
    }),
  };
}

const toChunk = (delta: ChunkChoice["delta"], finish_reason: string | null = null): ChatChunk => ({
  choices: [{ index: 0, delta, finish_reason, logprobs: null }],
});

const toToolCall = (index: number, id: string, name: string, input: string) => ({
  index,
  id,
  type: "function",
  function: { name, arguments: input },
});

/** Converts the stream of an AI SDK model to chunks in OpenAI's format. */
export async function* toChunks(parts: AsyncIterable<LanguageModelV4StreamPart>): AsyncGenerator<ChatChunk, void> {
  const callIds: string[] = [];
  for await (const part of parts) {
    switch (part.type) {
      case "text-delta":
        yield toChunk({ content: part.delta });
        break;
      case "reasoning-delta":
        yield toChunk({ reasoning_content: part.delta });
        break;
      case "tool-input-start": {
        const index = callIds.push(part.id) - 1;
        yield toChunk({ tool_calls: [toToolCall(index, part.id, part.toolName, "")] });
        break;
      }
      case "tool-input-delta":
        yield toChunk({ tool_calls: [{ index: callIds.lastIndexOf(part.id), function: { arguments: part.delta } }] });
        break;
      case "tool-call":
        // Some providers send a call as a whole instead of in deltas.
        if (callIds.includes(part.toolCallId)) break;
        callIds.push(part.toolCallId);
        yield toChunk({ tool_calls: [toToolCall(callIds.length - 1, part.toolCallId, part.toolName, part.input)] });
        break;
      case "finish": {
        const usage = toReportedUsage(part.usage);
        yield { ...toChunk({}, sdkFinishReasons[part.finishReason.unified]), ...(usage && { usage }) };
        break;
      }
    }
  }
}

/** Converts the answer of an AI SDK model to a completion in OpenAI's format. */
export function toCompletion({ content, finishReason, usage }: LanguageModelV4GenerateResult): ChatCompletion {
  const join = (type: "text" | "reasoning") => content.map((part) => (part.type === type ? part.text : "")).join("");
  const calls = content
    .filter((part) => part.type === "tool-call")
    .map(({ toolCallId, toolName, input }, index) => toToolCall(index, toolCallId, toolName, input));
  const tool_calls = calls.map(({ index: _, ...call }) => call);
  const [text, reasoning_content] = [join("text"), join("reasoning")];
  const reported = toReportedUsage(usage);
  const message = {
    role: "assistant",
    content: text || calls.length === 0 ? text : null,
    ...(reasoning_content && { reasoning_content }),
    ...(calls.length > 0 && { tool_calls }),
  };
  return {
    choices: [{ index: 0, message, finish_reason: sdkFinishReasons[finishReason.unified], logprobs: null }],
    ...(reported && { usage: reported }),
  };
}
