import { writeFile } from "node:fs/promises";
import type { createSwitchboard, ReplyOf } from "../../shared/client/index.ts";

const POLL_INTERVAL_MS = 2_000;

/** Difference that sums of floating-point numbers may have. */
const TOLERANCE = 1e-9;

export const evaluationCodes = { ok: 0, notReached: 1, usage: 2, failed: 3 } as const;

type ExitCode = (typeof evaluationCodes)[keyof typeof evaluationCodes];

type TestRun = ReplyOf<"/v1/test-runs/{id}", "get">;

export interface EvaluationOptions {
  readonly client: ReturnType<typeof createSwitchboard>;
  readonly setId: string;
  readonly version: number;
  /** Version than which the other one must not be worse. */
  readonly baseline: number | undefined;
  /** Lowest mean score, from 0 to 1. */
  readonly minScore: number | undefined;
  /** File that gets the results of the version as JUnit XML. */
  readonly junitFile: string | undefined;
  /** Tells what happens, without a result. */
  readonly report: (line: string) => void;
}

async function startRun({ client, setId, version, baseline }: EvaluationOptions): Promise<string> {
  const versions = baseline === undefined ? [version] : [baseline, version];
  const reply = await client.POST("/v1/test-runs", { body: { set_id: setId, versions } });
  if (!("id" in reply)) throw new Error("The service started no run.");
  return reply.id;
}

/** Waits until a run has ended, and reports its progress. */
async function waitForRun({ client, report }: EvaluationOptions, id: string): Promise<TestRun> {
  for (let done = -1; ; ) {
    const run = await client.GET("/v1/test-runs/{id}", { params: { path: { id } } });
    if (run.done !== done) report(`${run.done} of ${run.estimate.items} items`);
    if (run.status !== "running") return run;
    done = run.done;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

const round = (value: number, digits = 3) => Number(value.toFixed(digits));

function reportResult({ report }: EvaluationOptions, { columns, summary, comparisons }: TestRun): void {
  for (const [index, { results, passed, mean_score, mean_latency_ms, cost_usd }] of (summary ?? []).entries()) {
    const figures = `mean score ${round(mean_score)}, ${round(mean_latency_ms, 0)} ms, ${round(cost_usd, 6)} USD`;
    report(`version ${columns[index]?.version}: ${passed} of ${results} passed, ${figures}`);
  }
  for (const { better, worse, same, difference, interval } of comparisons ?? []) {
    const range = `${round(interval.low)} to ${round(interval.high)}`;
    report(`${better} better, ${worse} worse, ${same} same; difference ${round(difference)} (${range})`);
  }
}

/** Returns why a version is not good enough. */
function findShortfalls({ minScore }: EvaluationOptions, { summary, comparisons }: TestRun): string[] {
  const { results = 0, mean_score = 0 } = summary?.at(-1) ?? {};
  const comparison = comparisons?.at(-1);
  return [
    ...(results === 0 ? ["The set has no items that the author of the run may read."] : []),
    ...(minScore !== undefined && mean_score < minScore - TOLERANCE
      ? [`The mean score ${round(mean_score)} is below ${minScore}.`]
      : []),
    ...(comparison && comparison.interval.high < 0 ? ["The version is worse than the baseline."] : []),
  ];
}

async function writeResults({ client }: EvaluationOptions, { id, columns }: TestRun, file: string): Promise<void> {
  const path = `/v1/test-runs/${id}/results?column=${columns.length - 1}`;
  const response = await client.fetch(path, { headers: { accept: "application/xml" } });
  await writeFile(file, await response.text());
}

/** Runs a test set with a version, and with a baseline if there is one. */
export async function evaluate(options: EvaluationOptions): Promise<ExitCode> {
  const { report, junitFile } = options;
  const id = await startRun(options);
  report(`test run ${id}`);
  const run = await waitForRun(options, id);
  reportResult(options, run);
  if (junitFile !== undefined) await writeResults(options, run, junitFile);
  if (run.status !== "completed") {
    report(`The run has ${run.reason === null ? `the status ${run.status}` : `failed: ${run.reason}`}.`);
    return evaluationCodes.failed;
  }
  const shortfalls = findShortfalls(options, run);
  for (const shortfall of shortfalls) report(shortfall);
  return shortfalls.length === 0 ? evaluationCodes.ok : evaluationCodes.notReached;
}
