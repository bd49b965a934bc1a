import type { TestColumn, TestEstimate } from "../../api/evaluations/test-runs.ts";
import type { TrialAnswerer } from "../../chat/trial/trial.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { toUsagePeriod } from "../../governance/usage/usage-period.ts";
import { listUsage } from "../../governance/usage/usage-store.ts";
import { calculateCostUsd } from "../../models/prices.ts";
import { sumCosts } from "../../models/tokens.ts";
import { SourceReader } from "../readable-items.ts";
import { readTestItem, type StoredTestItem, surveyItems, testItemsOf } from "../test-item-store.ts";
import { estimateJudgments, estimatePrompt } from "./estimate-prompt.ts";
import type { StoredTestRun } from "./test-run-store.ts";

/** Number of items from which the tokens of all are estimated. Ids are hashes, so that the first ones are a random sample. */
const SAMPLE_SIZE = 50;

/** Tokens of an answer of which nothing similar is known. */
const DEFAULT_ANSWER_TOKENS = 500;

/** Average tokens of one answer. */
interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** Returns the average of the latest run with the same column that has results; undefined without one. */
function findEarlier(runs: readonly StoredTestRun[], { version, model }: TestColumn): Tokens | undefined {
  for (const { columns, summary } of runs) {
    const index = columns.findIndex((column) => column.version === version && column.model === model);
    const figures = summary?.[index];
    if (!figures || figures.results === 0) continue;
    return { input: figures.input_tokens / figures.results, output: figures.output_tokens / figures.results };
  }
  return undefined;
}

/** Returns the average length of answers of a persona in the last 30 days. */
async function averageOutput(scope: TenantScope, personaId: string): Promise<number> {
  const { from, to } = toUsagePeriod({});
  const records = (await listUsage(scope, from, to)).filter(({ persona_id }) => persona_id === personaId);
  const sumOf = (name: "requests" | "output_tokens") => records.reduce((sum, record) => sum + record[name], 0);
  return sumOf("requests") > 0 ? sumOf("output_tokens") / sumOf("requests") : DEFAULT_ANSWER_TOKENS;
}

const average = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

interface EstimatedRun {
  readonly setId: string;
  readonly columns: readonly TestColumn[];
  readonly answerers: readonly Omit<TrialAnswerer, "signal">[];
  readonly judgeModel: string;
  /** Runs of the set, latest first. */
  readonly earlier: readonly StoredTestRun[];
}

const averageTokens = (all: readonly Tokens[]): Tokens => ({
  input: average(all.map(({ input }) => input)),
  output: average(all.map(({ output }) => output)),
});

/** Estimates a column from an earlier run, or else from the prompts of a sample, without a call of a model. */
function estimateColumn(
  { columns, answerers, judgeModel, earlier }: EstimatedRun,
  column: number,
  sample: readonly StoredTestItem[],
  usualOutput: number,
) {
  const { persona, model } = answerers[column] as TrialAnswerer;
  const outputs = sample.map(({ answer_tokens }) => answer_tokens ?? usualOutput);
  const answer = findEarlier(earlier, columns[column] as TestColumn) ?? {
    input: average(sample.map((item) => estimatePrompt(persona, item))),
    output: Math.min(average(outputs), persona.max_output_tokens ?? Infinity),
  };
  const judged = averageTokens(sample.map((item) => estimateJudgments(item, answer.output)));
  return { answer: { ...answer, model }, judged: { ...judged, model: judgeModel } };
}

/** Estimates what a run of a set costs. */
export async function estimateRun(run: EstimatedRun): Promise<TestEstimate> {
  const [first] = run.answerers as readonly [TrialAnswerer];
  const { principal, persona } = first;
  const firstItems = { ...testItemsOf(principal, run.setId), limit: SAMPLE_SIZE };
  const [{ items }, sampled, output] = await Promise.all([
    surveyItems(principal, run.setId),
    tenantTable(principal).query(firstItems),
    averageOutput(principal, persona.id),
  ]);
  const reader = new SourceReader(principal);
  const sample = await Promise.all(sampled.map(readTestItem).map((item) => reader.withReadablePassages(item)));
  const calls = run.columns.flatMap((_, column) => {
    const { answer, judged } = estimateColumn(run, column, sample, output);
    return judged.output > 0 ? [answer, judged] : [answer];
  });
  const totals = calls.map((call) => ({ ...call, input: call.input * items, output: call.output * items }));
  const sumOf = (name: keyof Tokens) => Math.round(totals.reduce((sum, each) => sum + each[name], 0));
  const costs = totals.map(({ model, ...tokens }) => calculateCostUsd(model, { ...tokens, cached: 0 }));
  return {
    items,
    results: items * run.columns.length,
    input_tokens: sumOf("input"),
    output_tokens: sumOf("output"),
    cost_usd: costs.includes(null) ? null : sumCosts(costs),
  };
}
