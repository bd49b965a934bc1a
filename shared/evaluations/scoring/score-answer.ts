import type { Block } from "../../api/blocks.ts";
import type { Expectation } from "../../api/evaluations/expectations.ts";
import type { TestResult } from "../../api/evaluations/test-runs.ts";
import type { TrialAnswer } from "../../chat/trial/trial.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { compareMeaning } from "./compare-meaning.ts";
import { isRefusal } from "./is-refusal.ts";
import { matchesSchema } from "./json-schema.ts";
import type { Judge } from "./judge.ts";
import { compilePattern } from "./linear-pattern.ts";

/** Part of an answer that scores depend on. */
export type ScoredAnswer = Pick<TrialAnswer, "text" | "content" | "calls" | "isBlocked">;

/** Outcome of one expectation. */
type Score = TestResult["scores"][number];

const contains = (text: string, part: string, ignoresCase: boolean) =>
  ignoresCase ? text.toLowerCase().includes(part.toLowerCase()) : text.includes(part);

/** Returns true if a value has all that an expected one has, also in nested objects. */
function includes(value: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return value === expected;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  if (Array.isArray(expected) && (value as unknown[]).length !== expected.length) return false;
  return Object.entries(expected).every(([name, each]) => includes((value as Record<string, unknown>)[name], each));
}

/** Returns the JSON of an answer: its whole text, or its first block of code that is JSON. */
function findJson(text: string, content: readonly Block[]): unknown {
  const texts = [text, ...content.flatMap((block) => (block.type === "code" ? [block.code] : []))];
  return texts.map(parseJson).find((value) => value !== undefined);
}

/** Expectations that a provider checks. */
type JudgedType = "judge" | "similar";

type Scorer<Type> = (answer: ScoredAnswer, expectation: Extract<Expectation, { type: Type }>) => boolean;

const scorers: { readonly [Type in Exclude<Expectation["type"], JudgedType>]: Scorer<Type> } = {
  contains: ({ text }, expectation) => contains(text, expectation.text, expectation.ignore_case),
  not_contains: ({ text }, expectation) => !contains(text, expectation.text, expectation.ignore_case),
  regex: ({ text }, { pattern, ignore_case }) => compilePattern(pattern, ignore_case)(text),
  json_schema({ text, content }, { schema }) {
    const json = findJson(text, content);
    return json !== undefined && matchesSchema(schema, json);
  },
  cites: ({ content }, { document_id }) =>
    content.some((block) => block.type === "citation" && (document_id === null || block.document_id === document_id)),
  refuses: isRefusal,
  tool_call: ({ calls }, expectation) =>
    calls.some(({ tool, input }) => tool === expectation.tool && includes(input, expectation.arguments)),
};

/**
 * Returns whether an answer fulfills an expectation.
 * @throws ServiceError if the judging model fails; the reason of the judge's signal
 */
export async function scoreAnswer(answer: ScoredAnswer, expectation: Expectation, judge: Judge): Promise<Score> {
  const { type } = expectation;
  if (type === "judge") return { type, ...(await judge.decide(answer.text, expectation)) };
  if (type === "similar") return { type, ...(await compareMeaning(answer.text, expectation)) };
  return { type, passed: (scorers[type] as Scorer<unknown>)(answer, expectation as never), detail: null };
}
