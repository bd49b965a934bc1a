import { askAboutTurn } from "./ask-about-turn.ts";
import type { Turn } from "./turn.ts";

const MAX_QUESTIONS = 3;

/** Maximum length of a suggested question in UTF-16 code units. Longer ones are dropped. */
const MAX_LENGTH = 120;

const task = {
  name: "suggest_questions",
  instructions:
    "You suggest what the user may ask next. Write at most 3 short questions from the user's point of view that the answer leads to, in the language of the question, one on each line, without numbers or quotation marks. Write nothing else. If nothing is left to ask, write nothing.",
  maxOutputTokens: 120,
};

/** Returns the lines of a text as questions, without list markers and quotation marks. */
function toQuestions(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/^(?:[-*•]|\d{1,2}[.)])\s+|^["“„«]|["”“»]$/gu, "").trim());
  const questions = lines.filter((line) => line.length > 0 && line.length <= MAX_LENGTH);
  return [...new Set(questions)].slice(0, MAX_QUESTIONS);
}

/**
 * Adds to the stored answer a block with questions that the user may ask next, if the policy allows it. Runs after the
 * text of the answer was sent.
 */
export async function suggestQuestions(turn: Turn): Promise<void> {
  if (!turn.suggestsQuestions || turn.isFinal || turn.answer.isWithheld) return;
  const questions = toQuestions((await askAboutTurn(turn, task)) ?? "");
  if (questions.length > 0) turn.answer.extras.push({ type: "follow_ups", questions });
}
