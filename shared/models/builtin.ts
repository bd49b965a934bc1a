import { setTimeout as sleep } from "node:timers/promises";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { crisisReply } from "../guardrails/canned-messages.ts";
import { extractTerms } from "../knowledge/index/terms.ts";
import { truncate } from "../lib/truncate.ts";
import { describeToolResults, findToolCall } from "./builtin-tools.ts";
import { estimateTokens } from "./tokens.ts";

/** Retrieved passage, as the pipeline passes it in the provider options. */
export interface BuiltinSource {
  readonly title: string;
  readonly text: string;
}

/** Delay between words, so that the answer streams like that of a real model. */
const WORD_DELAY_MS = 8;

/** Maximum number of sentences that an answer quotes. */
const MAX_QUOTES = 4;

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

/** Returns the sentences that share the most terms with the question, best first; earlier sources win ties. */
function findQuotes(question: string, sources: readonly BuiltinSource[]): Quote[] {
  const questionTerms = new Set(extractTerms(question));
  const quotes = sources.flatMap(({ text }, source) =>
    text
      .split(/(?<=[.!?。！？])\s+|\n+/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence.length > 0 && sentence.length < 600)
      .map((sentence) => {
        const sharedTerms = new Set(extractTerms(sentence).filter((term) => questionTerms.has(term))).size;
        return { sentence, source: source + 1, score: sharedTerms / Math.sqrt(1 + sentence.length / 200) };
      }),
  );
  return quotes
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.source - b.source)
    .slice(0, MAX_QUOTES);
}

const selfDescription =
  "I am the built-in model: I run offline, quote your knowledge collections and make nothing up. Set `MODEL_PROVIDER` to connect a language model.";

/** Returns the answer without quotes. Widget visitors can neither add knowledge nor change settings. */
function noMatchAnswer(question: string, isVisitor: boolean): string {
  const subject = question.length > 200 ? `${truncate(question, 200)}…` : question;
  return [
    `I found nothing ${isVisitor ? "" : "in your knowledge "}about this:`,
    `> ${subject.replaceAll("\n", "\n> ")}`,
    isVisitor
      ? "I only quote from the documents that I have, and make nothing up."
      : `${selfDescription} Documents that you add to a knowledge collection can be found from then on.`,
  ].join("\n\n");
}

function findQuestion(prompt: LanguageModelV4Prompt): string {
  return textOf(prompt.findLast((message) => message.role === "user")).trim();
}

function answerTo({ prompt, providerOptions }: LanguageModelV4CallOptions): string {
  if (providerOptions?.builtin?.isInCrisis) return crisisReply;
  const toolAnswer = describeToolResults(prompt);
  if (toolAnswer !== null) return toolAnswer;
  const question = findQuestion(prompt);
  const sources = (providerOptions?.builtin?.sources ?? []) as unknown as readonly BuiltinSource[];
  const quotes = findQuotes(question, sources);
  const isVisitor = Boolean(providerOptions?.builtin?.isVisitor);
  if (quotes.length === 0) return noMatchAnswer(question, isVisitor);
  const titles = [...new Set(quotes.map(({ source }) => sources[source - 1]?.title))].join(", ");
  return [
    `This is what I found in ${titles}:`,
    ...quotes.map(({ sentence, source }) => `> ${sentence} [${source}]`),
    ...(isVisitor ? [] : [selfDescription]),
  ].join("\n\n");
}

function estimateUsage({ prompt }: LanguageModelV4CallOptions, answer: string) {
  const input = estimateTokens(prompt.map(textOf).join("\n"));
  const output = estimateTokens(answer);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

async function* generateParts(options: LanguageModelV4CallOptions): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  const call = findToolCall(findQuestion(options.prompt), options);
  if (call) {
    yield call;
    yield {
      type: "finish",
      finishReason: { unified: "tool-calls", raw: undefined },
      usage: estimateUsage(options, call.input),
    };
    return;
  }
  const answer = answerTo(options);
  yield { type: "text-start", id: "0" };
  for (const delta of answer.match(/\s*\S+/g) ?? []) {
    yield { type: "text-delta", id: "0", delta };
    await sleep(WORD_DELAY_MS, undefined, { signal: options.abortSignal });
  }
  yield { type: "text-end", id: "0" };
  yield { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage: estimateUsage(options, answer) };
}

/** Returns the built-in model, which needs no network and no account. It is deterministic and only quotes sources. */
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
        usage: estimateUsage(options, text),
        warnings: [],
      };
    },
    async doStream(options) {
      return { stream: ReadableStream.from(generateParts(options)) as ReadableStream<LanguageModelV4StreamPart> };
    },
  };
}
