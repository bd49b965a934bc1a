import { setTimeout as sleep } from "node:timers/promises";
import { AwsError } from "../../../shared/lib/aws/aws-client.ts";
import { timestamp } from "../../../shared/lib/clock.ts";
import { type CellTable, openCell } from "./tenant-items.ts";

/** Interval at which the state of a restored table is read. AWS takes from minutes to hours to restore one. */
const POLL_INTERVAL_MS = 15_000;

/** Fields of a table's description that this module reads. */
interface TableDescription {
  readonly TableStatus: string;
  readonly RestoreSummary?: { readonly SourceTableArn?: string; readonly RestoreDateTime?: number };
}

async function findDescription(table: CellTable): Promise<TableDescription | null> {
  try {
    const { Table } = await openCell(table)("DescribeTable", { TableName: table.name });
    return Table as TableDescription;
  } catch (error) {
    if (error instanceof AwsError && error.name === "ResourceNotFoundException") return null;
    throw error;
  }
}

/** Converts an ISO timestamp to epoch seconds, the format of DynamoDB's API. */
const toSeconds = (at: string) => Math.floor(Date.parse(at) / 1_000);

/** Returns the name of a restored table, such as `switchboard-prod-table-at-20261125T090000Z`. */
const toCopyName = (table: CellTable, at: string) =>
  `${table.name}-at-${timestamp(toSeconds(at) * 1_000)
    .replace(/\.\d+/, "")
    .replaceAll(/[-:]/g, "")}`;

/**
 * Restores a table to a point in time as a new table without indexes. If the new table exists because of an earlier call,
 * waits for it instead.
 * @throws Error if a table of the same name was not restored from this one; AwsError `InvalidRestoreTimeException` for a time
 * outside of the recovery period
 */
export async function restorePoint(
  table: CellTable,
  at: string,
  pollIntervalMs = POLL_INTERVAL_MS,
): Promise<CellTable> {
  const copy = { ...table, name: toCopyName(table, at) };
  const existing = await findDescription(copy);
  if (!existing) {
    await openCell(table)("RestoreTableToPointInTime", {
      SourceTableName: table.name,
      TargetTableName: copy.name,
      RestoreDateTime: toSeconds(at),
      BillingModeOverride: "PAY_PER_REQUEST",
      // Scans need no indexes, and without them the restoration is faster and costs less.
      GlobalSecondaryIndexOverride: [],
    });
  } else if (!existing.RestoreSummary?.SourceTableArn?.endsWith(`:table/${table.name}`)) {
    throw new Error(`The table ${copy.name} exists and is no copy of ${table.name}.`);
  }
  for (;;) {
    const description = await findDescription(copy);
    if (description?.TableStatus === "ACTIVE") return copy;
    await sleep(pollIntervalMs);
  }
}

export async function deleteCopy(copy: CellTable): Promise<void> {
  await openCell(copy)("DeleteTable", { TableName: copy.name });
}
