import { setTimeout as sleep } from "node:timers/promises";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { crisisReply } from "../../guardrails/canned-messages.ts";
import { invalidFields } from "../../lib/errors.ts";
import { detectLanguage } from "../../lib/language/languages.ts";
import { extractTerms } from "../../lib/language/terms.ts";
import { truncate } from "../../lib/truncate.ts";
import { estimateTokens } from "../tokens.ts";
import { findIntent } from "./intents.ts";
import { type BuiltinTexts, textsFor } from "./texts.ts";
import { describeToolResults, findToolCall } from "./tools.ts";

/** Passage that the search found, or attached file; files are quoted without a citation. */
export interface BuiltinSource {
  readonly title: string;
  readonly text: string;
  readonly isFile?: boolean;
}

/** Delay between words in milliseconds, so that the answer streams like that of a real model. */
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

/** Removes Markdown syntax from a line. Returns an empty text for headings and the delimiter rows of tables. */
function toSentenceText(line: string): string {
  if (/^(?:#{1,6}\s|[|:\s-]+$)/.test(line.trimStart())) return "";
  const text = /^\s*\|.*\|\s*$/.test(line)
    ? line
        .trim()
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
        .join(", ")
    : line;
  return text
    .replace(/^\s*(?:[-*+>]|\d{1,9}[.)])\s+/, "")
    .replace(/(\*\*|__|`)(.+?)\1/g, "$2")
    .trim();
}

/** Returns up to four sentences that share terms with the question, best first. Among equals, earlier sources come first. */
function findQuotes(question: string, sources: readonly BuiltinSource[]): Quote[] {
  const language = detectLanguage(question);
  const questionTerms = new Set([...extractTerms(question), ...extractTerms(question, language)]);
  const quotes = sources.flatMap(({ text }, source) =>
    text
      .split("\n")
      .map(toSentenceText)
      .flatMap((line) => line.split(/(?<=[.!?。！？])\s+/))
      .filter((sentence) => sentence.length > 0 && sentence.length < 600)
      .map((sentence) => {
        const terms = [...extractTerms(sentence), ...extractTerms(sentence, language)];
        const sharedTerms = new Set(terms.filter((term) => questionTerms.has(term))).size;
        return { sentence, source: source + 1, score: sharedTerms / Math.sqrt(1 + sentence.length / 200) };
      }),
  );
  return quotes
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.source - b.source)
    .slice(0, MAX_QUOTES);
}

/** Facts about the turn that the chat pipeline passes in the provider options, because the built-in model does not interpret prompts. */
interface BuiltinFacts {
  /** Question alone, without the context that precedes it in the prompt. */
  readonly question?: string;
  /** Form of the question that the search used; empty if nothing was searched. */
  readonly searchedQuestion?: string;
  /** Parts of the question for which the search found nothing. */
  readonly unansweredParts?: readonly string[];
  readonly sources?: readonly BuiltinSource[];
  readonly isInCrisis?: boolean;
  readonly isVisitor?: boolean;
  /** False if the tier of the turn answers without a search. */
  readonly hasSearched?: boolean;
  /** True if the assistant may propose memories in this turn. */
  readonly canRemember?: boolean;
}

/** Returns the answer to a question about the assistant itself, with its abilities in this deployment. */
function describeSelf(texts: BuiltinTexts, { isVisitor, canRemember }: BuiltinFacts): string {
  if (isVisitor) return texts.selfForVisitors;
  const tools = Object.values(texts.toolNames).join(", ");
  const abilities = [
    texts.quoting,
    texts.research,
    texts.tools.replace("{tools}", tools),
    ...(canRemember ? [texts.remembering] : []),
  ];
  return [texts.self, texts.abilities, abilities.map((ability) => `- ${ability}`).join("\n")].join("\n\n");
}

const nothingFoundText = (texts: BuiltinTexts, { isVisitor }: BuiltinFacts) =>
  isVisitor ? texts.nothingFoundForVisitors : texts.nothingFound;

/** Returns the answer if no sentence matches the question. It advises users to add documents; visitors of a website cannot do that. */
function describeNoMatch(question: string, texts: BuiltinTexts, facts: BuiltinFacts): string {
  const { isVisitor, hasSearched } = facts;
  if (hasSearched === false && !isVisitor) return texts.notSearched;
  const subject = question.length > 200 ? `${truncate(question, 200)}…` : question;
  return [
    nothingFoundText(texts, facts),
    `> ${subject.replaceAll("\n", "\n> ")}`,
    isVisitor ? texts.onlyQuotes : texts.addDocuments,
  ].join("\n\n");
}

function describeQuotes(quotes: readonly Quote[], sources: readonly BuiltinSource[], texts: BuiltinTexts): string {
  const titles = [...new Set(quotes.map(({ source }) => sources[source - 1]?.title))].join(", ");
  const lines = quotes.map(
    ({ sentence, source }) => `> ${sentence}${sources[source - 1]?.isFile ? "" : ` [${source}]`}`,
  );
  return [texts.found.replace("{titles}", () => titles), ...lines].join("\n\n");
}

const getFacts = ({ providerOptions }: LanguageModelV4CallOptions): BuiltinFacts =>
  (providerOptions?.builtin ?? {}) as unknown as BuiltinFacts;

function findQuestion(options: LanguageModelV4CallOptions): string {
  return getFacts(options).question ?? textOf(options.prompt.findLast((message) => message.role === "user")).trim();
}

function answerTo(options: LanguageModelV4CallOptions): string {
  const { prompt } = options;
  const facts = getFacts(options);
  if (facts.isInCrisis) return crisisReply;
  const toolAnswer = describeToolResults(prompt);
  if (toolAnswer !== null) return toolAnswer;
  const question = findQuestion(options);
  const { intent, language } = findIntent(question);
  const texts = textsFor(language);
  const isFirstAnswer = !facts.isVisitor && !prompt.some(({ role }) => role === "assistant");
  const withHint = (answer: string) => (isFirstAnswer ? `${answer}\n\n${texts.connectModel}` : answer);
  if (intent === "self") return withHint(describeSelf(texts, facts));
  if (intent) return texts[intent];
  const { sources = [], unansweredParts = [] } = facts;
  const quotes = findQuotes(facts.searchedQuestion || question, sources);
  if (quotes.length === 0) return withHint(describeNoMatch(question, texts, facts));
  const missing = unansweredParts.map((part) => [nothingFoundText(texts, facts), `> ${part}`].join("\n\n"));
  return withHint([describeQuotes(quotes, sources, texts), ...missing].join("\n\n"));
}

function estimateUsage({ prompt }: LanguageModelV4CallOptions, answer: string) {
  const input = estimateTokens(prompt.map(textOf).join("\n"));
  const output = estimateTokens(answer);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

/** Rejects request options that a model which only quotes sources cannot follow. @throws ServiceError `validation_failed` that names OpenAI's field */
function refuseUnsupportedOptions({ responseFormat, toolChoice }: LanguageModelV4CallOptions): void {
  const refused = [
    ...(responseFormat?.type === "json" ? ["response_format"] : []),
    ...(toolChoice?.type === "required" || toolChoice?.type === "tool" ? ["tool_choice"] : []),
  ];
  if (refused.length === 0) return;
  const message = "is not supported by the built-in model; configure a model provider (MODEL_PROVIDER)";
  throw invalidFields(refused.map((path) => ({ path, location: "body", code: "unsupported_parameter", message })));
}

interface CutAnswer {
  readonly text: string;
  readonly finishReason: LanguageModelV4FinishReason;
}

/** Splits a text into words, each with the white space after it. */
const splitWords = (text: string): readonly string[] => text.match(/^\s+|\S+\s*/g) ?? [];

/** Ends an answer before the first stop sequence, or at the maximum number of tokens. */
function cut(
  answer: string,
  { maxOutputTokens = Number.POSITIVE_INFINITY, stopSequences = [] }: LanguageModelV4CallOptions,
): CutAnswer {
  const stops = stopSequences.map((stop) => answer.indexOf(stop)).filter((index) => index >= 0);
  const text = answer.slice(0, Math.min(answer.length, ...stops));
  if (estimateTokens(text) <= maxOutputTokens) return { text, finishReason: { unified: "stop", raw: undefined } };
  let kept = "";
  for (const word of splitWords(text)) {
    if (estimateTokens(kept + word) > maxOutputTokens) break;
    kept += word;
  }
  return { text: kept.trimEnd(), finishReason: { unified: "length", raw: undefined } };
}

async function* generateParts(options: LanguageModelV4CallOptions): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  const call = findToolCall(findQuestion(options), options);
  if (call) {
    yield call;
    yield {
      type: "finish",
      finishReason: { unified: "tool-calls", raw: undefined },
      usage: estimateUsage(options, call.input),
    };
    return;
  }
  const { text, finishReason } = cut(answerTo(options), options);
  yield { type: "text-start", id: "0" };
  for (const delta of splitWords(text)) {
    yield { type: "text-delta", id: "0", delta };
    await sleep(WORD_DELAY_MS, undefined, { signal: options.abortSignal });
  }
  yield { type: "text-end", id: "0" };
  yield { type: "finish", finishReason, usage: estimateUsage(options, text) };
}

/** Returns the built-in model, which needs no network and no account. It is deterministic and only quotes sources. */
export function builtinModel(modelId: string): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "builtin",
    modelId,
    supportedUrls: {},
    async doGenerate(options) {
      refuseUnsupportedOptions(options);
      const { text, finishReason } = cut(answerTo(options), options);
      const usage = estimateUsage(options, text);
      return { content: [{ type: "text", text }], finishReason, usage, warnings: [] };
    },
    async doStream(options) {
      refuseUnsupportedOptions(options);
      return { stream: ReadableStream.from(generateParts(options)) as ReadableStream<LanguageModelV4StreamPart> };
    },
  };
}
