import * as v from "valibot";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { unchanged, type Write } from "../../dynamodb/table.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { changedConcurrently } from "../../lib/errors.ts";
import { retry } from "../../lib/retry.ts";
import { archiveSource, newExport, newExportWrite, readExport, type StoredExport } from "./export-store.ts";

/**
 * Time without progress after which a pending archive no longer prevents a new one. Lambda tries the message of a
 * failing job five times within 30 minutes before it moves to the dead-letter queue.
 */
const STALLED_AFTER_MS = 3_600_000;

/** Maximum number of attempts to start an archive while concurrent requests start others. */
const MAX_ATTEMPTS = 5;

const readPendingExport = itemReader(v.object({ export_id: v.string() }));

/** Thrown if another request of the same user has started an archive since the pending one was read. */
class ConcurrentStartError extends Error {}

/** Archive to return to the user, with the writes that start it; no writes if it is already being built. */
interface Archive {
  readonly archive: StoredExport;
  readonly writes: readonly Write[];
}

/**
 * Returns an archive that is being built; null also if it made no progress for `STALLED_AFTER_MS`, so that a new one
 * can start.
 */
async function findRunningArchive(member: UserScope, id: string): Promise<StoredExport | null> {
  const item = await tenantTable(member).get(keys.export(member.tenantId, member.userId, id), { consistent: true });
  if (!item) return null;
  const stored = readExport(item);
  return stored.status === "pending" && now() - Number(item.timestamp) < STALLED_AFTER_MS ? stored : null;
}

/**
 * Returns the archive that is being built for a user, or a new one. The writes of a new one throw
 * `ConcurrentStartError` if another request has started an archive.
 */
export async function prepareArchive(member: UserScope): Promise<Archive> {
  const key = keys.pendingExport(member.tenantId, member.userId);
  const item = await tenantTable(member).get(key, { consistent: true });
  const previous = item ? readPendingExport(item).export_id : null;
  const running = previous === null ? null : await findRunningArchive(member, previous);
  if (running) return { archive: running, writes: [] };
  const archive = newExport(member.userId, archiveSource);
  const reference: Write = {
    put: {
      ...key,
      discriminator: "pending-export",
      ttl: Math.ceil(Date.parse(archive.expires_at) / 1_000),
      export_id: archive.id,
    },
    condition: unchanged(item, "export_id", () => new ConcurrentStartError("another request has started an archive")),
  };
  return { archive, writes: [newExportWrite(member, archive), reference] };
}

/**
 * Starts an archive of a user's data, unless one is being built. Of several concurrent requests, one starts the archive
 * and the others return it.
 * @param commit stores the writes together with the response
 * @throws ServiceError `conflict` after `MAX_ATTEMPTS` attempts
 */
export async function startArchive<Result>(
  member: UserScope,
  commit: (archive: StoredExport, writes: readonly Write[]) => Promise<Result>,
): Promise<Result> {
  const start = async () => {
    const { archive, writes } = await prepareArchive(member);
    return commit(archive, writes);
  };
  const isRetryable = (error: unknown) => error instanceof ConcurrentStartError;
  return retry(start, { maxAttempts: MAX_ATTEMPTS, isRetryable, toError: () => changedConcurrently("The export") });
}
