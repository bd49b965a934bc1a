import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { type Admission, admitAnswer } from "../governance/budgets/admit-answer.ts";
import type { BudgetCheck } from "../governance/budgets/applied-budgets.ts";
import { estimateAnswer } from "../models/estimate-answer.ts";

/**
 * Returns true for the id of a chat run, a UUID, whose reservation is settled or returned by the run's reaper. Calls of
 * this API have prefixed ids; nothing else returns their old reservations.
 */
const isRun = async (id: string) => /^[0-9a-f]{8}-/.test(id);

/**
 * Checks the estimated tokens of a completion against the budgets, before its model is called.
 * @throws ServiceError `quota_exceeded`, or `rate_limited` for a limit per minute
 */
export function admitCompletion(
  scope: TenantScope,
  budgets: BudgetCheck,
  model: string,
  { messages, max_tokens, max_completion_tokens }: ChatCompletionRequest,
): Admission {
  const estimate = estimateAnswer(model, JSON.stringify(messages), max_completion_tokens ?? max_tokens ?? null);
  return admitAnswer(scope, budgets, estimate, isRun);
}

/**
 * Checks the estimated tokens of an embedding request against the budgets, before the model is called.
 * @throws ServiceError `quota_exceeded`, or `rate_limited` for a limit per minute
 */
export const admitEmbedding = (scope: TenantScope, budgets: BudgetCheck, model: string, text: string): Admission =>
  admitAnswer(scope, budgets, estimateAnswer(model, text, 0), isRun);
