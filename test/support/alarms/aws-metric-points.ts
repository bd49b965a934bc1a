import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { routes } from "#shared/api/routes.ts";
import type { MetricPoint } from "./metric-points.ts";

const streamingOperations = new Set(routes.filter(({ streaming }) => streaming).map(({ id }) => id));

const point = (namespace: string, name: string, dimensions: Record<string, string>, value: number): MetricPoint => ({
  namespace,
  name,
  dimensions,
  value,
});

/**
 * Returns the metric values that API Gateway and Lambda would have reported: requests of the REST API and errors of
 * functions. Reads them from the output of an instance with `LOCAL_LOG=1`.
 * @param stage stage that replaces the instance's own in the dimensions
 */
export function readAwsMetricPoints(output: readonly string[], stage: string): MetricPoint[] {
  const api = { ApiName: `switchboard-${stage}-api` };
  return output.flatMap((line) => {
    const [, part = "", text = ""] = /^switchboard-[a-z\d]+([\w-]+): (.*)$/s.exec(line) ?? [];
    const lambda = { FunctionName: `switchboard-${stage}${part}` };
    if (/^[\w.]+: .* \(request [\da-f-]{36}\)$/.test(text)) return [point("AWS/Lambda", "Errors", lambda, 1)];
    if (!text.startsWith("{")) return [];
    const { message, operation, status } = JSON.parse(text);
    if (message !== "request" || streamingOperations.has(operation)) return [];
    return [point("AWS/ApiGateway", "Count", api, 1), point("AWS/ApiGateway", "5XXError", api, status >= 500 ? 1 : 0)];
  });
}

interface JournaledMessage {
  readonly id: string;
  readonly sentAt: number;
  readonly visibleAt: number;
}

/** Returns the messages of a queue's journal that were not deleted. */
function readMessages(file: string): JournaledMessage[] {
  const messages = new Map<string, JournaledMessage>();
  for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
    const entry = JSON.parse(line) as { put?: JournaledMessage; delete?: string };
    if (entry.put) messages.set(entry.put.id, entry.put);
    else messages.delete(String(entry.delete));
  }
  return [...messages.values()];
}

/**
 * Returns the metric values that SQS reports for the queues of an instance.
 * @param at time of the report in epoch milliseconds; a future time assumes that no function receives the messages
 * until then
 */
export function readQueueMetricPoints(stateDir: string, stage: string, at = Date.now()): MetricPoint[] {
  const directory = join(stateDir, "queues");
  return readdirSync(directory).flatMap((file) => {
    const messages = readMessages(join(directory, file)).filter(({ visibleAt }) => visibleAt <= at);
    const oldestSentAt = Math.min(at, ...messages.map(({ sentAt }) => sentAt));
    const queue = { QueueName: file.replace(/\.jsonl$/, "").replace(/^switchboard-\w+?-/, `switchboard-${stage}-`) };
    return [
      point("AWS/SQS", "ApproximateNumberOfMessagesVisible", queue, messages.length),
      point("AWS/SQS", "ApproximateAgeOfOldestMessage", queue, (at - oldestSentAt) / 1_000),
    ];
  });
}
