import type { Usage } from "../../api/conversations/messages.ts";
import type { UserPrincipal } from "../../auth/principal.ts";
import { answerTrial, type TrialAnswer, type TrialAnswerer, toTrialError } from "../../chat/trial/trial.ts";
import { admitAnswer } from "../../governance/budgets/admit-answer.ts";
import { readBudgets } from "../../governance/budgets/applied-budgets.ts";
import { returnReservations } from "../../governance/budgets/ledger-store.ts";
import type { Charges } from "../../lib/charges.ts";
import { timestamp } from "../../lib/clock.ts";
import { truncate } from "../../lib/truncate.ts";
import { estimateAnswer } from "../../models/estimate-answer.ts";
import { sumUsage } from "../../models/tokens.ts";
import type { Tenant } from "../../tenancy/tenant-store.ts";
import { Judge } from "../scoring/judge.ts";
import { scoreAnswer } from "../scoring/score-answer.ts";
import type { StoredTestItem } from "../test-item-store.ts";
import { addResult, type StoredResult, toResultId } from "./result-store.ts";
import type { StoredTestRun } from "./test-run-store.ts";

const [MAX_QUESTION_CHARACTERS, MAX_TEXT_CHARACTERS, MAX_CALLS] = [200, 20_000, 20];

/** Column of a run, and who answers in it. */
export interface AnsweringColumn {
  readonly column: number;
  readonly answerer: TrialAnswerer;
  /** Internal name of the model that judges answers. */
  readonly judgeModel: string;
}

/**
 * Reserves the estimated cost of an answer in the budgets of the tenant, if there are some.
 * @throws ServiceError `quota_exceeded` or `rate_limited`
 */
async function admit(
  principal: UserPrincipal,
  tenant: Tenant,
  { persona, model }: TrialAnswerer,
  { id, question }: { readonly id: string; readonly question: string },
): Promise<Charges | undefined> {
  const spender = { tenant, userId: principal.userId, keyId: null, personaId: persona.id };
  const budgets = await readBudgets(spender);
  if (!budgets) return undefined;
  const estimate = estimateAnswer(model, question, persona.max_output_tokens);
  // A result of a job that died is made again and takes its reservation over.
  const admission = admitAnswer(principal, budgets, estimate, async () => false);
  await admission.reserve(id);
  return admission.charges;
}

/**
 * Scores an answer. A failed judge is an error of the result like a failed answer.
 * @throws the reason of the signal of the answerer
 */
async function score(
  answer: TrialAnswer,
  { question, expectations }: StoredTestItem,
  answerer: TrialAnswerer,
  judgeModel: string,
): Promise<Pick<StoredResult, "scores" | "score" | "error" | "usage" | "judge_usage">> {
  const judge = new Judge(judgeModel, question, answerer.signal);
  const sum = (usages: readonly Usage[]) => (usages.length > 0 ? sumUsage(usages) : null);
  const toUsage = () => ({
    usage: sum([...judge.usages, ...(answer.usage ? [answer.usage] : [])]),
    judge_usage: sum(judge.usages),
  });
  const failed = expectations.map(({ type }) => ({ type, passed: false, detail: null }));
  if (answer.error) return { scores: failed, score: 0, error: answer.error, ...toUsage() };
  try {
    const scores = await Promise.all(expectations.map((expectation) => scoreAnswer(answer, expectation, judge)));
    const share = scores.length === 0 ? 1 : scores.filter(({ passed }) => passed).length / scores.length;
    return { scores, score: share, error: null, ...toUsage() };
  } catch (error) {
    answerer.signal.throwIfAborted();
    return { scores: failed, score: 0, error: toTrialError(error, answerer), ...toUsage() };
  }
}

/**
 * Answers an item in a column and stores the result.
 * @returns the result that is stored, which another job may have made
 * @throws ServiceError `quota_exceeded` or `rate_limited`
 */
export async function answerItem(
  tenant: Tenant,
  run: StoredTestRun,
  item: StoredTestItem,
  { column, answerer, judgeModel }: AnsweringColumn,
): Promise<StoredResult> {
  const { principal, persona } = answerer;
  const cell = { run_id: run.id, item_id: item.id, column };
  const id = toResultId(cell);
  const charges = await admit(principal, tenant, answerer, { id, question: item.question });
  let answer: TrialAnswer;
  let scored: Awaited<ReturnType<typeof score>>;
  try {
    answer = await answerTrial(answerer, {
      question: item.question,
      context: item.context,
      hasRecordedPassages: run.passages === "recorded",
      hasRecordedTools: run.tools === "recorded",
    });
    scored = await score(answer, item, answerer, judgeModel);
  } catch (error) {
    await returnReservations(principal, id, charges);
    throw error;
  }
  const { text, calls, duration_ms, checks } = answer;
  return addResult(principal, {
    ...cell,
    id,
    question: truncate(item.question, MAX_QUESTION_CHARACTERS),
    source: item.source,
    message_ids: item.message_ids,
    text: truncate(text, MAX_TEXT_CHARACTERS),
    // `calls` is the number of requests that a reply counts as.
    tool_calls: calls.slice(0, MAX_CALLS),
    duration_ms,
    ...scored,
    asked_by: principal.userId,
    persona_id: persona.id,
    persona_version: persona.version,
    ...(checks.length > 0 && { checks: [...checks] }),
    ...(charges && { charges }),
    created_at: timestamp(),
  });
}
