import { hasPassages } from "../../knowledge/search/has-passages.ts";
import { log } from "../../lib/log.ts";
import { truncate } from "../../lib/truncate.ts";
import { askModel } from "../../models/ask-model.ts";
import { selectModel } from "../../models/model.ts";
import { promptText } from "../../models/prompt-text.ts";
import { addUsage } from "../add-usage.ts";
import { quotationInstructions, quote, quotedText } from "../context/quote.ts";
import { readerOf } from "../knowledge-reader.ts";
import type { Turn } from "../turn.ts";
import { findIntent } from "./find-intent.ts";

const TIMEOUT_MS = 3_000;
const MAX_OUTPUT_TOKENS = 100;

/** Maximum length in characters of a question that is completed. Longer ones contain what they refer to. */
const MAX_TYPED_CHARACTERS = 300;

/** Maximum length in characters of a completed question. A longer reply of the model is rejected. */
const MAX_QUESTION_CHARACTERS = 400;

/**
 * Minimum number of earlier messages in the prompt, and the step in which the oldest ones leave it, so that most prompts
 * begin like the one before and the provider's cache has them.
 */
const [MIN_MESSAGES, MESSAGE_STEP] = [6, 6];
const MAX_MESSAGE_CHARACTERS = 600;

/** Maximum number of earlier questions with which a question is searched without a model. */
const MAX_CONTEXT_QUESTIONS = 3;

/** Reply of the model for a question that needs no completion. */
const COMPLETE = "=";

const instructions = `You are given the latest messages of a conversation and the question that follows them. If a search finds what the question asks for without the conversation, answer with ${COMPLETE} and nothing else. Otherwise rewrite the question so that it does: replace pronouns, and add what is left out. Keep its language and all of its parts. Add nothing else and do not answer it. Answer with the question only, on one line. ${quotationInstructions}`;

interface EarlierMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/**
 * Returns the messages before the question. For the first message of a thread, such as an alert, returns the text quoted
 * in the prompt.
 */
function toEarlierMessages({ history }: Pick<Turn, "history">): EarlierMessage[] {
  return [...history.main, ...history.thread].flatMap((message, index, all) => {
    if (message.role !== "user" && message.role !== "assistant") return [];
    const isRoot = all.length - index === history.thread.length;
    const text = promptText([message]);
    return [{ role: message.role, text: (isRoot && quotedText(text)) || text }];
  });
}

/** Returns the questions before that of the turn, latest first. */
export const findContext = (turn: Pick<Turn, "history">): string[] =>
  toEarlierMessages(turn)
    .filter(({ role }) => role === "user")
    .map(({ text }) => truncate(text, MAX_TYPED_CHARACTERS))
    .slice(-MAX_CONTEXT_QUESTIONS)
    .reverse();

/** Returns the model's completion of a question, the question itself if it needs none, or null if the reply is blank. */
async function askForQuestion(turn: Turn, model: string, earlier: readonly EarlierMessage[]): Promise<string | null> {
  const start = Math.max(0, Math.floor((earlier.length - MIN_MESSAGES) / MESSAGE_STEP) * MESSAGE_STEP);
  const messages = earlier
    .slice(start)
    .map(({ role, text }) => quote("message", { role }, truncate(text, MAX_MESSAGE_CHARACTERS)));
  const reply = await askModel(model, {
    instructions,
    text: `${messages.join("\n")}\n\nThe question: ${turn.questionText}`,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    signal: AbortSignal.any([turn.signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  addUsage(turn, reply.usage);
  if (reply.isCut) throw new Error("answer is incomplete");
  const [question = ""] = reply.text
    .split("\n")
    .map((line) => line.trim().replace(/^["'“„«]+|(?<!["'”“»])["'”“»]+$/gu, ""))
    .filter(Boolean);
  if (question === "") return null;
  if (question === COMPLETE) return turn.questionText;
  if (question.length > MAX_QUESTION_CHARACTERS) throw new Error("answer is not a question");
  return question;
}

/** Returns the model that completes questions: that of the persona, or else that of the tier `QUICK`. */
const selectCompletionModel = ({ persona }: Turn) => selectModel({ tier: "QUICK", model: persona?.model ?? null });

const isFirstQuestion = (turn: Turn) => findContext(turn).length === 0;

/** Returns true if the question follows another one, so that a model may complete it. */
export const canComplete = (turn: Turn): boolean => !isFirstQuestion(turn);

/**
 * Lets a model complete a question that continues a conversation, so that a search understands it. The same call decides
 * whether it needs that.
 * @returns the question as typed if there is nothing to complete; null if the model replies with a blank, fails or takes
 * more than 3 s
 */
export async function completeQuestion(turn: Turn): Promise<string | null> {
  const { questionText } = turn;
  if (isFirstQuestion(turn) || questionText.length > MAX_TYPED_CHARACTERS || findIntent(questionText).intent)
    return questionText;
  try {
    // Without knowledge, no search needs the question, so that it is worth no call.
    if (!(await hasPassages(readerOf(turn)))) return questionText;
    return await askForQuestion(turn, selectCompletionModel(turn), toEarlierMessages(turn));
  } catch (error) {
    if (!turn.signal.aborted) log.warn("question not completed", { message_id: turn.run.message_id, error });
    return null;
  }
}
