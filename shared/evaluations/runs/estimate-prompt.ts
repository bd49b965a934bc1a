import type { TestItem } from "../../api/evaluations/test-items.ts";
import { generalInstructions, sourceInstructions } from "../../chat/context/prompt-instructions.ts";
import { quotationInstructions } from "../../chat/context/quote.ts";
import { estimateTokens } from "../../models/tokens.ts";
import type { StoredPersona } from "../../personas/persona-store.ts";
import { judgeInstructions } from "../scoring/judge-instructions.ts";

/** Tokens of the date and the canary in a prompt, and of the marks around each passage and file. */
const [FRAME_TOKENS, MARK_TOKENS] = [25, 30] as const;

/**
 * Returns the estimated tokens of the first prompt for an item, without passages that would be searched. The prompt itself is not
 * built, because that needs the rights of a function that answers.
 */
export function estimatePrompt(
  { instructions }: Pick<StoredPersona, "instructions">,
  { question, context: { messages, files, passages } }: Pick<TestItem, "question" | "context">,
): number {
  const quoted = [...files, ...(passages ?? [])];
  const rules = quoted.length > 0 ? [sourceInstructions, quotationInstructions] : [];
  const texts = [instructions, generalInstructions, ...rules, question];
  const data = [...messages, ...quoted].map(({ text }) => text);
  return FRAME_TOKENS + quoted.length * MARK_TOKENS + estimateTokens([...texts, ...data].join("\n"));
}

/** Tokens of the reply of a judge. */
const VERDICT_TOKENS = 40;

/**
 * Returns the estimated tokens of all judgments of an answer to an item.
 * @param answer number of tokens of the answer
 */
export function estimateJudgments(
  { question, expectations }: Pick<TestItem, "question" | "expectations">,
  answer: number,
) {
  const judges = expectations.filter((expectation) => expectation.type === "judge");
  const votes = judges.reduce((sum, judge) => sum + judge.votes, 0);
  const rubrics = judges.reduce((sum, { rubric, votes: count }) => sum + count * estimateTokens(rubric), 0);
  const around = estimateTokens(judgeInstructions + question) + answer + 2 * MARK_TOKENS;
  return { input: rubrics + votes * around, output: votes * VERDICT_TOKENS };
}
