import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "../assembly/deployment.ts";
import { AwsException, awsJson } from "../aws-json.ts";
import { messageOf } from "../failure.ts";
import { type Fields, fields, list } from "../json.ts";
import { warn } from "../log.ts";

/** Pause between two scan pages, so that the sweep does not slow down requests. */
const pagePauseMs = 20;

interface ExpiringTable {
  name: string;
  attribute: string;
  keys: string[];
}

/**
 * Deletes expired items at regular intervals, because the table server does not implement TTL (DynamoDB deletes expired
 * items within days). The deletions appear in the table's stream.
 * @returns a function that stops the sweeper
 */
export function startTtlSweeper(deployment: Deployment, endpoint: string, intervalMs: number): () => void {
  const tables = deployment
    .resources("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
    .flatMap(({ ref, properties }): ExpiringTable[] => {
      const { AttributeName, Enabled } = fields(properties.TimeToLiveSpecification);
      const keys = list(properties.KeySchema).map((key) => String(fields(key).AttributeName));
      return Enabled ? [{ name: ref, attribute: String(AttributeName), keys }] : [];
    });
  const stopped = new AbortController();
  void run(tables, endpoint, intervalMs, stopped.signal);
  return () => stopped.abort();
}

async function run(tables: ExpiringTable[], endpoint: string, intervalMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => {});
    for (const table of tables) {
      await sweep(table, endpoint, signal).catch((error: unknown) => {
        if (!signal.aborted) warn(table.name, `TTL sweep failed: ${messageOf(error)}`);
      });
    }
  }
}

async function sweep({ name, attribute, keys }: ExpiringTable, endpoint: string, signal: AbortSignal): Promise<void> {
  const call = async (operation: string, input: object) =>
    fields(await awsJson(endpoint, `DynamoDB_20120810.${operation}`, { TableName: name, ...input }));
  const expired = () => ({
    ExpressionAttributeNames: { "#ttl": attribute },
    ExpressionAttributeValues: { ":now": { N: String(Math.floor(Date.now() / 1000)) } },
  });
  let ExclusiveStartKey: unknown;
  do {
    const page = await call("Scan", { FilterExpression: "#ttl < :now", Limit: 1000, ExclusiveStartKey, ...expired() });
    for (const item of list(page.Items).map(fields)) {
      if (signal.aborted) return;
      const Key = Object.fromEntries(keys.map((key) => [key, item[key]]));
      // The TTL may have been extended since the scan.
      await call("DeleteItem", { Key, ConditionExpression: "#ttl < :now", ...expired() }).catch(ignoreExtended);
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
    await sleep(pagePauseMs);
  } while (ExclusiveStartKey && !signal.aborted);
}

function ignoreExtended(error: unknown): Fields {
  if (error instanceof AwsException && error.name === "ConditionalCheckFailedException") return {};
  throw error;
}
