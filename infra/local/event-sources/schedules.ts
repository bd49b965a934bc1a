import { randomUUID } from "node:crypto";
import type { Deployment } from "../assembly/deployment.ts";
import { account, region } from "../assembly/local-account.ts";
import type { FunctionHost } from "../functions/function-host.ts";
import { invokeInBackground } from "../functions/lambda-api.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { type Fields, fields, list, text } from "../json.ts";
import { trace } from "../log.ts";

const unitMs: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

const CLOCK_CHECK_INTERVAL_MS = 500;

/**
 * Starts the EventBridge rules and schedules with a `rate(…)` expression and a function as target. Those with `cron(…)` are
 * not supported.
 * @returns a function that stops them
 */
export function startSchedules(deployment: Deployment, host: FunctionHost): () => void {
  const calls = [...ruleTargets(deployment), ...scheduleTargets(deployment)].flatMap(
    ({ expression, target, event }) => {
      const [, count, unit = ""] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
      const lambda = host.find(target);
      const intervalMs = Number(count) * (unitMs[unit] ?? Number.NaN);
      if (!lambda || Number.isNaN(intervalMs)) {
        trace("schedules", () => `${expression} for ${target} is not supported locally`);
        return [];
      }
      return [{ lambda, intervalMs, event, dueAt: Date.now() + intervalMs }];
    },
  );
  // Compares with the clock instead of waiting for the interval, because tests move the clock.
  const timer = setInterval(() => {
    for (const scheduled of calls.filter(({ dueAt }) => Date.now() >= dueAt)) {
      scheduled.dueAt = Date.now() + scheduled.intervalMs;
      call(host, scheduled.lambda, scheduled.event());
    }
  }, CLOCK_CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

interface Target {
  expression: string;
  target: string;
  event: () => unknown;
}

function ruleTargets(deployment: Deployment): Target[] {
  return deployment
    .resources("AWS::Events::Rule")
    .filter(({ properties }) => properties.ScheduleExpression !== undefined && properties.State !== "DISABLED")
    .flatMap(({ attributes, properties }) =>
      list(properties.Targets).map((target) => ({
        expression: String(properties.ScheduleExpression),
        target: String(fields(target).Arn),
        event: () => inputOf(fields(target)) ?? scheduledEvent(attributes.Arn ?? ""),
      })),
    );
}

function scheduleTargets(deployment: Deployment): Target[] {
  return deployment
    .resources("AWS::Scheduler::Schedule")
    .filter(({ properties }) => properties.State !== "DISABLED")
    .map(({ properties }) => ({
      expression: String(properties.ScheduleExpression),
      target: String(fields(properties.Target).Arn),
      event: () => inputOf(fields(properties.Target)) ?? {},
    }));
}

function inputOf({ Input }: Fields): unknown {
  const input = text(Input);
  return input === undefined ? undefined : JSON.parse(input);
}

/**
 * Returns the event that EventBridge sends for a schedule.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html
 */
function scheduledEvent(ruleArn: string): Fields {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region,
    resources: [ruleArn],
    detail: {},
  };
}

function call(host: FunctionHost, lambda: LambdaFunction, event: unknown): void {
  void invokeInBackground(host, lambda, event);
}
