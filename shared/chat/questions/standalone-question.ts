import { toContentWords } from "../../knowledge/search/content-words.ts";
import { hasPassages } from "../../knowledge/search/has-passages.ts";
import { detectLanguage } from "../../lib/language/languages.ts";
import { log } from "../../lib/log.ts";
import { truncate } from "../../lib/truncate.ts";
import { askModel } from "../../models/ask-model.ts";
import { selectModel } from "../../models/model.ts";
import { getModel } from "../../models/model-table.ts";
import { promptText } from "../../models/prompt-text.ts";
import { addUsage } from "../add-usage.ts";
import { quotationInstructions, quote, quotedText } from "../context/quote.ts";
import type { Turn } from "../turn.ts";
import { needsContext } from "./needs-context.ts";

const TIMEOUT_MS = 3_000;
const MAX_OUTPUT_TOKENS = 100;

/** Number of earlier messages in the prompt, and the maximum length of each in characters. */
const MAX_MESSAGES = 6;
const MAX_MESSAGE_CHARACTERS = 600;

/** Maximum length in characters of the rewritten question. A longer reply of the model is rejected. */
const MAX_QUESTION_CHARACTERS = 400;

/** Maximum number of words that `addContext` takes from each earlier question. */
const MAX_CONTEXT_WORDS = 6;

/** Maximum number of earlier questions that `addContext` uses. */
const MAX_STEPS = 3;

const instructions = `You are given the latest messages of a conversation and a question that refers to them. Rewrite the question so that a search finds what it asks for without the conversation: replace pronouns, and add what is left out. Keep its language and all of its parts. Add nothing else and do not answer it. Answer with the question only, on one line. ${quotationInstructions}`;

export interface EarlierMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** Pronouns for persons. A name from the previous answer can replace them. */
const personPronoun =
  /(?<![\p{L}])(?:he|him|his|she|her|er|ihn|ihm|sie|seine?[rnms]?|elle|lui|él|ella|lei|ele|ela|hij|hem|haar|он|она|его|её|ей|ему|han|hun|hon|jego|jej)(?![\p{L}])/iu;

/** Matches capitalized words that do not begin a sentence. */
const namePattern = /(?<=[\p{L}\p{N},] )\p{Lu}\p{Ll}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]+)*/gu;

/** Returns the content words of a text in their original spelling. */
function subjectWords(text: string): string[] {
  const subjects = new Set(toContentWords(text, detectLanguage(text)).map(({ word }) => word));
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’.-]*(?<![.'’-])/gu) ?? [];
  return [...new Set(words.filter((word) => subjects.has(word.toLowerCase().replaceAll("’", "'"))))];
}

/**
 * Adds to an incomplete question the words of the questions that it continues. If it has a pronoun for a person, also
 * adds the last name from the previous answer.
 */
export function addContext(question: string, earlier: readonly EarlierMessage[]): string {
  const context: string[] = [];
  const questions = earlier.filter(({ role }) => role === "user").map(({ text }) => text);
  for (let step = 1; step <= Math.min(MAX_STEPS, questions.length); step++) {
    const text = questions.at(-step) ?? "";
    context.unshift(...subjectWords(text).slice(0, MAX_CONTEXT_WORDS));
    if (!needsContext(text, questions.at(-step - 1))) break;
  }
  const answer = earlier.at(-1);
  if (answer?.role === "assistant" && personPronoun.test(question)) {
    const names = answer.text.slice(0, MAX_MESSAGE_CHARACTERS).match(namePattern) ?? [];
    context.push(...names.slice(-1));
  }
  const known = question.toLowerCase();
  const added = [...new Set(context)].filter((word) => !known.includes(word.toLowerCase()));
  return [...added, question.trim()].join(" ");
}

/**
 * Returns the latest messages before the question. For the first message of a thread, such as an alert, returns the
 * text quoted in the prompt.
 */
export function toEarlierMessages({ history }: Pick<Turn, "history">): EarlierMessage[] {
  return [...history.main, ...history.thread].slice(-MAX_MESSAGES).flatMap((message, index, all) => {
    if (message.role !== "user" && message.role !== "assistant") return [];
    const isRoot = all.length - index === history.thread.length;
    const text = promptText([message]);
    return [{ role: message.role, text: (isRoot && quotedText(text)) || text }];
  });
}

/**
 * Rewrites a question with a model, so that it can be understood without its conversation.
 * @throws Error if the reply is empty or too long for a question
 */
async function rewrite(turn: Turn, model: string, earlier: readonly EarlierMessage[]): Promise<string> {
  const messages = earlier.map(({ role, text }) => quote("message", { role }, truncate(text, MAX_MESSAGE_CHARACTERS)));
  const reply = await askModel(model, {
    instructions,
    text: `${messages.join("\n")}\n\nThe question: ${turn.questionText}`,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    signal: AbortSignal.any([turn.signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  addUsage(turn, reply.usage);
  const [question = ""] = reply.text
    .split("\n")
    .map((line) => line.trim().replace(/^["'“„«]+|(?<!["'”“»])["'”“»]+$/gu, ""))
    .filter(Boolean);
  if (question === "" || question.length > MAX_QUESTION_CHARACTERS) throw new Error("answer is not a question");
  return question;
}

/** Question to search for, understandable without its conversation. */
export interface StandaloneQuestion {
  readonly text: string;
  /** Author of the text. A text by `rules` is a guess, so the question as typed is searched as well. */
  readonly writtenBy: "asker" | "model" | "rules";
}

/**
 * Lets a model complete a question. Returns the question unchanged if the tenant has no knowledge to search. Returns
 * null if only the built-in model is available, if the call fails, or if it takes more than 3 s.
 */
export async function rewriteQuestion(turn: Turn): Promise<string | null> {
  const model = selectModel({ tier: "QUICK", model: turn.persona?.model ?? null });
  if (getModel(model).provider.type === "builtin") return null;
  // Without knowledge, no search needs the question, so that it is worth no call.
  if (!(await hasPassages(turn.principal))) return turn.questionText;
  try {
    return await rewrite(turn, model, toEarlierMessages(turn));
  } catch (error) {
    turn.signal.throwIfAborted();
    log.warn("question rewriting failed", { message_id: turn.run.message_id, error });
    return null;
  }
}

/**
 * Returns a question that can be searched without its conversation. An incomplete question is completed by a model or,
 * without one, by rules.
 */
export async function toStandaloneQuestion(turn: Turn): Promise<StandaloneQuestion> {
  const { questionText } = turn;
  const earlier = toEarlierMessages(turn);
  const previous = earlier.findLast(({ role }) => role === "user");
  if (!previous || !needsContext(questionText, previous.text)) return { text: questionText, writtenBy: "asker" };
  const text = await rewriteQuestion(turn);
  return text === null ? { text: addContext(questionText, earlier), writtenBy: "rules" } : { text, writtenBy: "model" };
}
