import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "../assembly/deployment.ts";
import { AwsError, awsJson } from "../aws-json.ts";
import { messageOf } from "../failure.ts";
import { type Fields, fields, list } from "../json.ts";
import { warn } from "../log.ts";

/** Pause between two pages of a table, so that looking for what has expired slows nobody. */
const pauseMs = 20;

/** A table whose items expire. */
type ExpiringTable = { name: string; attribute: string; keys: string[] };

/**
 * Deletes expired items every so often, as DynamoDB does within days, where a table's template has a TTL attribute: the table
 * server leaves them. Their removal is a change of the table like any other.
 * @returns stops it
 */
export function startExpiry(deployment: Deployment, endpoint: string, everyMs: number): () => void {
  const tables = deployment
    .resources("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
    .flatMap(({ ref, properties }): ExpiringTable[] => {
      const { AttributeName, Enabled } = fields(properties.TimeToLiveSpecification);
      const keys = list(properties.KeySchema).map((key) => String(fields(key).AttributeName));
      return Enabled ? [{ name: ref, attribute: String(AttributeName), keys }] : [];
    });
  const stopped = new AbortController();
  void run(tables, endpoint, everyMs, stopped.signal);
  return () => stopped.abort();
}

async function run(tables: ExpiringTable[], endpoint: string, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
    for (const table of tables) {
      await sweep(table, endpoint, signal).catch((error: unknown) => {
        if (!signal.aborted) warn(table.name, `could not be rid of what has expired: ${messageOf(error)}`);
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
      // It may have been given more time since it was looked at.
      await call("DeleteItem", { Key, ConditionExpression: "#ttl < :now", ...expired() }).catch(ignoreLiving);
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
    await sleep(pauseMs);
  } while (ExclusiveStartKey && !signal.aborted);
}

function ignoreLiving(error: unknown): Fields {
  if (error instanceof AwsError && error.name === "ConditionalCheckFailedException") return {};
  throw error;
}
