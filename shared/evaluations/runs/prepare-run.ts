import type { TestSet } from "../../api/evaluations/test-sets.ts";
import type { UserPrincipal } from "../../auth/principal.ts";
import { invalidField } from "../../lib/errors.ts";
import { toAnswerers, toJudgeModel } from "./answerers.ts";
import { estimateRun } from "./estimate-run.ts";
import { listTestRuns, newTestRun, type StoredTestRun } from "./test-run-store.ts";

/** Number of earlier runs in which the costs of the same column are looked for. */
const EARLIER_RUNS = 20;

type RunOptions = Pick<
  StoredTestRun,
  "columns" | "passages" | "tools" | "concurrency" | "max_cost_usd" | "judge_model" | "schedule_run"
>;

const unknownPrice = () =>
  invalidField(
    "max_cost_usd",
    "price_unknown",
    "needs a known price of each model and of the judge: set those that lack in /v1/models",
  );

/**
 * Returns a run of a set with its estimate, which is not stored yet.
 * @throws ServiceError the errors of `toAnswerers` and `toJudgeModel`; `validation_failed` for a budget although a price is not known
 */
export async function prepareTestRun(
  principal: UserPrincipal,
  { id: set_id, persona_id }: Pick<TestSet, "id" | "persona_id">,
  { columns, judge_model, ...options }: RunOptions,
): Promise<StoredTestRun> {
  const [answerers, judgeModel] = await Promise.all([
    toAnswerers(principal, persona_id, columns),
    toJudgeModel(principal, persona_id, judge_model),
  ]);
  const { entries: earlier } = await listTestRuns(principal, set_id, { limit: EARLIER_RUNS });
  const estimate = await estimateRun({ setId: set_id, columns, answerers, judgeModel, earlier });
  if (options.max_cost_usd !== null && estimate.cost_usd === null) throw unknownPrice();
  return newTestRun({ set_id, persona_id, columns, judge_model, ...options, estimate, author_id: principal.userId });
}
