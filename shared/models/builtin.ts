import { setTimeout as sleep } from "node:timers/promises";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { care } from "../guardrails/canned-messages.ts";
import { termsOf } from "../knowledge/index/terms.ts";
import { truncate } from "../lib/truncate.ts";
import { toldOutcomes, toolCallFor } from "./builtin-tools.ts";
import { estimateTokens } from "./tokens.ts";

/** A passage that retrieval found, as the pipeline hands it to this model. */
export interface BuiltinSource {
  readonly title: string;
  readonly text: string;
}

/** Pause between words, in milliseconds, so that a stream looks and behaves like one. */
const wordPause = 8;

/** Sentences an answer quotes at most. */
const quotesAtMost = 4;

function textOf(message: LanguageModelV4Prompt[number] | undefined): string {
  if (!message) return "";
  if (typeof message.content === "string") return message.content;
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

interface Quote {
  readonly sentence: string;
  readonly source: number;
  readonly score: number;
}

/** Sentences of the sources that have most of the question's words, the best first; earlier sources win ties. */
function quotesFor(question: string, sources: readonly BuiltinSource[]): Quote[] {
  const wanted = new Set(termsOf(question));
  const quotes = sources.flatMap(({ text }, source) =>
    text
      .split(/(?<=[.!?。！？])\s+|\n+/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence.length > 0 && sentence.length < 600)
      .map((sentence) => {
        const shared = new Set(termsOf(sentence).filter((term) => wanted.has(term))).size;
        return { sentence, source: source + 1, score: shared / Math.sqrt(1 + sentence.length / 200) };
      }),
  );
  return quotes
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.source - b.source)
    .slice(0, quotesAtMost);
}

const whatIam =
  "I am the built-in model: I run offline, quote what is in your knowledge and make nothing up. Set `MODEL_PROVIDER` to connect a language model.";

/** Visitors of a website have no knowledge to add to, and no settings. */
function nothingFound(question: string, isVisitor: boolean): string {
  const subject = question.length > 200 ? `${truncate(question, 200)}…` : question;
  return [
    `I found nothing ${isVisitor ? "" : "in your knowledge "}about this:`,
    `> ${subject.replaceAll("\n", "\n> ")}`,
    isVisitor
      ? "I only quote what I was given to know, and make nothing up."
      : `${whatIam} Documents that you add to a knowledge collection are found from then on.`,
  ].join("\n\n");
}

function questionIn(prompt: LanguageModelV4Prompt): string {
  return textOf(prompt.findLast((message) => message.role === "user")).trim();
}

function answerTo({ prompt, providerOptions }: LanguageModelV4CallOptions): string {
  if (providerOptions?.builtin?.needsCare) return care;
  const told = toldOutcomes(prompt);
  if (told !== null) return told;
  const question = questionIn(prompt);
  const sources = (providerOptions?.builtin?.sources ?? []) as unknown as readonly BuiltinSource[];
  const quotes = quotesFor(question, sources);
  const isVisitor = Boolean(providerOptions?.builtin?.isVisitor);
  if (quotes.length === 0) return nothingFound(question, isVisitor);
  const titles = [...new Set(quotes.map(({ source }) => sources[source - 1]?.title))].join(", ");
  return [
    `This is what I found in ${titles}:`,
    ...quotes.map(({ sentence, source }) => `> ${sentence} [${source}]`),
    ...(isVisitor ? [] : [whatIam]),
  ].join("\n\n");
}

function usage({ prompt }: LanguageModelV4CallOptions, answer: string) {
  const input = estimateTokens(prompt.map(textOf).join("\n"));
  const output = estimateTokens(answer);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

async function* parts(options: LanguageModelV4CallOptions): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  const call = toolCallFor(questionIn(options.prompt), options);
  if (call) {
    yield call;
    yield {
      type: "finish",
      finishReason: { unified: "tool-calls", raw: undefined },
      usage: usage(options, call.input),
    };
    return;
  }
  const answer = answerTo(options);
  yield { type: "text-start", id: "0" };
  for (const delta of answer.match(/\s*\S+/g) ?? []) {
    yield { type: "text-delta", id: "0", delta };
    await sleep(wordPause, undefined, { signal: options.abortSignal });
  }
  yield { type: "text-end", id: "0" };
  yield { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage: usage(options, answer) };
}

/** The model that needs no network and no account: deterministic, honest about what it cannot do, streams word by word. */
export function builtinModel(modelId: string): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "builtin",
    modelId,
    supportedUrls: {},
    async doGenerate(options) {
      const text = answerTo(options);
      return {
        content: [{ type: "text", text }],
        finishReason: { unified: "stop", raw: undefined },
        usage: usage(options, text),
        warnings: [],
      };
    },
    async doStream(options) {
      return { stream: ReadableStream.from(parts(options)) as ReadableStream<LanguageModelV4StreamPart> };
    },
  };
}
