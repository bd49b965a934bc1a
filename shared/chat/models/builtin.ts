import { setTimeout as sleep } from "node:timers/promises";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { estimateTokens } from "./tokens.ts";

/** Pause between words, so that a stream looks and behaves like one. */
const wordPause = 8;

function textOf(message: LanguageModelV4Prompt[number] | undefined): string {
  if (!message) return "";
  if (typeof message.content === "string") return message.content;
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function answerTo(prompt: LanguageModelV4Prompt): string {
  const question = textOf(prompt.findLast((message) => message.role === "user")).trim();
  const subject = question.length > 200 ? `${question.slice(0, 200)}…` : question;
  return [
    "I am the built-in model: I run offline and answer only from what the service finds in your knowledge.",
    `I found nothing there about this:\n\n> ${subject.replaceAll("\n", "\n> ")}`,
    "Set `MODEL_PROVIDER` to connect a language model, or add documents to a knowledge collection.",
  ].join("\n\n");
}

function usage(prompt: LanguageModelV4Prompt, answer: string) {
  const input = estimateTokens(prompt.map(textOf).join("\n"));
  const output = estimateTokens(answer);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

async function* parts({ prompt, abortSignal }: LanguageModelV4CallOptions): AsyncGenerator<LanguageModelV4StreamPart> {
  const answer = answerTo(prompt);
  yield { type: "stream-start", warnings: [] };
  yield { type: "text-start", id: "0" };
  for (const delta of answer.match(/\s*\S+/g) ?? []) {
    yield { type: "text-delta", id: "0", delta };
    await sleep(wordPause, undefined, { signal: abortSignal });
  }
  yield { type: "text-end", id: "0" };
  yield { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage: usage(prompt, answer) };
}

/** The model that needs no network and no account: deterministic, honest about what it cannot do, streams word by word. */
export function builtinModel(modelId: string): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "builtin",
    modelId,
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const text = answerTo(prompt);
      return {
        content: [{ type: "text", text }],
        finishReason: { unified: "stop", raw: undefined },
        usage: usage(prompt, text),
        warnings: [],
      };
    },
    async doStream(options) {
      return { stream: ReadableStream.from(parts(options)) as ReadableStream<LanguageModelV4StreamPart> };
    },
  };
}
