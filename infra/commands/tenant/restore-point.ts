import { setTimeout as sleep } from "node:timers/promises";
import { AwsError } from "../../../shared/lib/aws/aws-client.ts";
import { timestamp } from "../../../shared/lib/clock.ts";
import { type CellTable, openCell } from "./tenant-items.ts";

/** Interval between looks at a table that AWS restores, which takes from some minutes to hours. */
const POLL_INTERVAL_MS = 15_000;

/** Description of a table, as far as a restoration needs it. */
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

/** Returns a time in seconds since 1970, in which DynamoDB counts. */
const toSeconds = (at: string) => Math.floor(Date.parse(at) / 1_000);

/** Returns the name of the copy of a table at a time, such as `switchboard-prod-table-at-20261125T090000Z`. */
const toCopyName = (table: CellTable, at: string) =>
  `${table.name}-at-${timestamp(toSeconds(at) * 1_000)
    .replace(/\.\d+/, "")
    .replaceAll(/[-:]/g, "")}`;

/**
 * Restores a table to a time, with point-in-time recovery, as a table of its own without indexes. A call that is repeated continues with the
 * copy of the first one.
 * @throws Error if another table has the name of the copy; AwsError `InvalidRestoreTimeException` for a time outside of the recovery period
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
