import { stringify } from "csv-stringify/sync";
import { USAGE_FILE_ENDPOINT } from "../dynamodb/governance-keys.ts";
import { putObject } from "../lib/aws/s3.ts";
import { now, timestamp } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { listTenants } from "../tenancy/tenant-admin-store.ts";
import { listDeliveriesOf } from "./delivery-store.ts";
import { usageColumns } from "./usage-rows.ts";

/**
 * Number of past days whose files are written again, because late rows can arrive: a change can wait for one day in the
 * stream and for 14 days in the dead-letter queue.
 */
const DAYS = 15;

const DAY_MS = 24 * 3_600_000;

const TENANTS_PER_PAGE = 100;
const MAX_CONCURRENT_TENANTS = 8;

/** Returns rows as CSV (RFC 4180). Texts that a spreadsheet would evaluate as a formula are escaped. */
function toCsv(rows: readonly unknown[]): Buffer {
  const columns = [...usageColumns];
  return Buffer.from(
    stringify([...rows], { header: true, columns, record_delimiter: "windows", escape_formulas: true }),
  );
}

/** Writes the file of a tenant for a past day, if there is usage. */
async function writeFile(tenantId: string, day: string): Promise<void> {
  const deliveries = await listDeliveriesOf({ tenantId }, USAGE_FILE_ENDPOINT, day);
  if (deliveries.length === 0) return;
  const key = `usage/${day}/${encodeURIComponent(tenantId)}.csv`;
  const rows = deliveries.map(({ payload }) => JSON.parse(payload));
  await putObject({ bucket: env("METERING_BUCKET").METERING_BUCKET, key }, toCsv(rows));
}

/**
 * Writes the files of all tenants for the past days for which rows can still arrive. Idempotent. Files of a tenant that
 * is being deleted are no longer updated.
 */
export async function writeUsageFiles(): Promise<void> {
  const days = Array.from({ length: DAYS }, (_, index) => timestamp(now() - (index + 1) * DAY_MS).slice(0, 10));
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { entries, next } = await listTenants({ limit: TENANTS_PER_PAGE, ...(cursor && { cursor }) });
    const tenants = entries.filter(({ deletion_requested_at }) => !deletion_requested_at);
    const writeFiles = async ({ tenant_id }: (typeof tenants)[number]) => {
      for (const day of days) await writeFile(tenant_id, day);
    };
    await mapConcurrent(tenants, writeFiles, MAX_CONCURRENT_TENANTS);
    cursor = next;
  }
}
