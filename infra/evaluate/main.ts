#!/usr/bin/env node
import { parseArgs } from "node:util";
import { createSwitchboard } from "../../shared/client/index.ts";
import { type EvaluationOptions, evaluate, evaluationCodes } from "./evaluate.ts";

const usage = `Usage: switchboard-evaluate --set <id> --persona-version <number>

Options:
  --min-score <score>             lowest mean score, from 0 to 1
  --baseline-version <number>     version than which the other one must not be worse
  --junit <file>                  write the results as JUnit XML

Environment: SWITCHBOARD_URL, SWITCHBOARD_API_KEY (scopes personas.read, personas.write)
Exit codes: 0 good enough, 1 below the score or worse than the baseline, 2 usage, 3 the run failed`;

class UsageError extends Error {}

function parseOptions() {
  try {
    const { values } = parseArgs({
      options: {
        set: { type: "string" },
        "persona-version": { type: "string" },
        "min-score": { type: "string" },
        "baseline-version": { type: "string" },
        junit: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** @throws UsageError unless the value is a number that fulfills the condition */
function parseNumber(name: string, value: string, isValid: (number: number) => boolean): number {
  const number = Number(value);
  if (value.trim() === "" || !isValid(number)) throw new UsageError(`--${name} cannot be "${value}".`);
  return number;
}

const isVersion = (number: number) => Number.isSafeInteger(number) && number > 0;

const isScore = (number: number) => number >= 0 && number <= 1;

function toEvaluation(values: ReturnType<typeof parseOptions>): EvaluationOptions {
  const { SWITCHBOARD_URL: baseUrl, SWITCHBOARD_API_KEY: token } = process.env;
  const { set, "persona-version": candidate, "min-score": score, "baseline-version": earlier } = values;
  if (!baseUrl || !token || !set || candidate === undefined) throw new UsageError(usage);
  const version = parseNumber("persona-version", candidate, isVersion);
  return {
    client: createSwitchboard({ baseUrl, token }),
    setId: set,
    version,
    baseline:
      earlier === undefined
        ? undefined
        : parseNumber("baseline-version", earlier, (number) => isVersion(number) && number !== version),
    minScore: score === undefined ? undefined : parseNumber("min-score", score, isScore),
    junitFile: values.junit,
    report: (line) => console.error(line),
  };
}

async function main(): Promise<number> {
  const values = parseOptions();
  if (!values.help) return evaluate(toEvaluation(values));
  console.log(usage);
  return evaluationCodes.ok;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof UsageError ? evaluationCodes.usage : evaluationCodes.failed;
}
