import type { PrivateText } from "../guardrails/links/private-passages.ts";
import { protectAnswer } from "../guardrails/protect-answer.ts";
import type { AnswerProtection } from "../guardrails/streaming-redactor.ts";
import { promptText } from "../models/prompt-text.ts";
import { withoutQuotations } from "./context/quote.ts";
import { hasReadUntrusted } from "./read-origins.ts";
import type { Turn } from "./turn.ts";

/**
 * Minimum number of letters and digits that a link must share with a private text (memories; sources and conversation;
 * question) to be removed. Memories have a low minimum, because a few words already reveal something about a person.
 * The subject of a source is often the subject of a legitimate link, and a link to a search engine repeats the
 * question.
 */
const MIN_MEMORY_CHARACTERS = 12;
const MIN_PROMPT_CHARACTERS = 24;
const MIN_QUESTION_CHARACTERS = 48;

function privateTexts(turn: Turn): PrivateText[] {
  const question = turn.questionText;
  const publicText = `${turn.persona?.instructions ?? ""}\n${question}`;
  const memories = turn.memories.map(({ text }) => text).join("\n");
  return [
    { text: memories, minCharacters: MIN_MEMORY_CHARACTERS, publicText },
    {
      text: promptText(turn.answer.prompt.filter(({ role }) => role !== "system")),
      minCharacters: MIN_PROMPT_CHARACTERS,
      publicText,
    },
    {
      text: [...turn.answer.sources, ...turn.notes.map(({ title, body }) => ({ title, text: body }))]
        .map(({ title, text }) => `${title}\n${text}`)
        .join("\n"),
      minCharacters: MIN_PROMPT_CHARACTERS,
      publicText,
    },
    { text: question, minCharacters: MIN_QUESTION_CHARACTERS },
  ];
}

/**
 * Returns the checks on the answer of a turn: they withhold it if it reveals the instructions, and remove links that
 * carry private texts to another host.
 */
export function answerProtection(turn: Turn): AnswerProtection {
  const { canary, guardrails } = turn;
  const { prompt } = turn.answer;
  const isTrusted = ({ role }: (typeof prompt)[number]) => role === "user" || role === "system";
  return protectAnswer(
    {
      canary,
      hasUntrusted: hasReadUntrusted(turn),
      trustedText: () => withoutQuotations(promptText(prompt.filter(isTrusted))),
      text: () => promptText(prompt),
      privateTexts: () => privateTexts(turn),
    },
    guardrails,
  );
}
