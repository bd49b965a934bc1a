import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { type Admission, admitAnswer } from "../governance/budgets/admit-answer.ts";
import type { BudgetCheck } from "../governance/budgets/applied-budgets.ts";
import { estimateAnswer } from "../models/estimate-answer.ts";

/** A chat run is settled or returned by its own reaper; calls of this API leave nothing but their reservation. */
const isRun = async (id: string) => /^[0-9a-f]{8}-/.test(id);

/** Decides on a completion before its model is called. @throws ServiceError `quota_exceeded` */
export function admitCompletion(
  scope: TenantScope,
  budgets: BudgetCheck,
  model: string,
  { messages, max_tokens, max_completion_tokens }: ChatCompletionRequest,
): Admission {
  const estimate = estimateAnswer(model, JSON.stringify(messages), max_completion_tokens ?? max_tokens ?? null);
  return admitAnswer(scope, budgets, estimate, isRun);
}

/** Decides on embeddings before the model is called. @throws ServiceError `quota_exceeded` */
export const admitEmbedding = (scope: TenantScope, budgets: BudgetCheck, model: string, text: string): Admission =>
  admitAnswer(scope, budgets, estimateAnswer(model, text, 0), isRun);
