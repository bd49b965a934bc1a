import { resourcesOf, type Templates } from "../../infra/synthesize.ts";
import type { Quantities } from "./compute-cost.ts";
import type { DeployedFunction } from "./recorded-usage.ts";

const SECONDS_PER_MONTH = 30.4 * 86_400;

/**
 * Long polls that Lambda keeps open at an idle queue, and their length. AWS documents that it starts with five concurrent
 * batches.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const [POLLERS_PER_QUEUE, POLL_SECONDS] = [5, 20];

interface AlarmMetrics {
  readonly Metrics?: readonly { readonly MetricStat?: object }[];
}

/** Returns what a deployment consumes in a month without requests. */
export function idleUsage(templates: Templates): Quantities {
  const queueFeeds = resourcesOf(templates, "AWS::Lambda::EventSourceMapping").filter(({ Properties }) =>
    JSON.stringify(Properties.EventSourceArn).includes("Queue"),
  );
  // An alarm on an expression costs as much as one alarm for each of its metrics.
  const alarmMetrics = resourcesOf(templates, "AWS::CloudWatch::Alarm").map(
    ({ Properties }) =>
      (Properties as AlarmMetrics).Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1,
  );
  return {
    alarmMetric: alarmMetrics.reduce((sum, count) => sum + count, 0),
    dashboard: resourcesOf(templates, "AWS::CloudWatch::Dashboard").length,
    secret: resourcesOf(templates, "AWS::SecretsManager::Secret").length,
    queueRequest: Math.round((queueFeeds.length * POLLERS_PER_QUEUE * SECONDS_PER_MONTH) / POLL_SECONDS),
    streamRead: 0,
  };
}

/** Returns the functions of the stage `prod` by name. */
export function deployedFunctions(templates: Templates): Map<string, DeployedFunction> {
  const functions = [...templates].flatMap(([file, resources]) =>
    Object.values(resources)
      .filter(({ Type }) => Type === "AWS::Lambda::Function" && resources)
      .map(({ Properties }) => {
        const name = String(Properties.FunctionName).replace(/^switchboard-prod[-_]/, "");
        const { SystemLogLevel } = Properties.LoggingConfig as { SystemLogLevel?: string };
        const isReported = SystemLogLevel !== "WARN";
        return [name, { memoryMb: Number(Properties.MemorySize), isReported, kind: kindOf(file, name) }] as const;
      }),
  );
  return new Map(functions);
}

function kindOf(file: string, name: string): DeployedFunction["kind"] {
  if (name.startsWith("authorizer-")) return "authorizer";
  if (name.startsWith("changes-")) return "processor";
  if (/-(changes|files)\.template/.test(file)) return "job";
  return /-streaming\.template/.test(file) ? "streaming" : "rest";
}
