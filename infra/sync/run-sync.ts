import { type createSwitchboard, isProblem, type ReplyOf } from "../../shared/client/index.ts";
import { type Entry, type ListedFile, listFiles, type SyncState, toEntry } from "./list-files.ts";
import type { ReaderMap } from "./readers.ts";
import type { FileSource } from "./source-file.ts";

const PAGE_FILES = 1_000;
/** Below the 1 MiB of a request, with room for characters of several bytes. */
const PAGE_LENGTH = 400_000;

/** Files and bytes that are staged and uploaded at a time, which bound the memory that contents take. */
const BATCH_FILES = 40;
const BATCH_BYTES = 60_000_000;

const POLL_INTERVAL_MS = 2_000;

export const exitCodes = { ok: 0, filesFailed: 1, usage: 2, guard: 3 } as const;

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface SyncOptions {
  readonly client: ReturnType<typeof createSwitchboard>;
  /** Undefined for a dry run without a collection. */
  readonly collectionId: string | undefined;
  readonly source: FileSource;
  readonly readers: ReaderMap;
  readonly isDryRun: boolean;
  /** Removes more than a fifth of the documents, too. */
  readonly isConfirmed: boolean;
  /** Continues a sync that is in progress. */
  readonly resumes: boolean;
  /** Counts files that cannot be read as files that the source no longer has. */
  readonly skipsUnreadable: boolean;
  /** Tells what happens, without a result. */
  readonly report: (line: string) => void;
  /** Tells what failed. */
  readonly warn: (line: string) => void;
}

/** Returns the first files of a list that fit into a request. */
function takePage(files: readonly ListedFile[]): ListedFile[] {
  let length = 0;
  const end = files.findIndex(({ entry }, index) => {
    length += JSON.stringify(entry).length;
    return index >= PAGE_FILES || (length > PAGE_LENGTH && index > 0);
  });
  return files.slice(0, end < 0 ? files.length : end);
}

type Comparison = ReplyOf<"/v1/knowledge/collections/{id}/sync", "put">;

/** Differences between the source and the collection. */
interface Differences {
  readonly syncId: string | undefined;
  readonly pending: ListedFile[];
  readonly missing: number;
  readonly removed: { readonly path: string; readonly hash: string }[];
  readonly refused: { readonly path: string; readonly code: string }[];
}

/** Options of a sync whose collection exists. */
type Target = SyncOptions & { readonly collectionId: string };

const allNew = (files: readonly ListedFile[]): Differences => ({
  ...{ syncId: undefined, pending: [...files], missing: files.length, removed: [], refused: [] },
});

/** Waits until a sync is no longer applied. */
async function waitUntilApplied({ client, collectionId, report }: Target, sync: SyncState): Promise<SyncState> {
  if (sync.status !== "applying") return sync;
  report("waiting until the files are indexed");
  let current = sync;
  while (current.status === "applying") {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    current = await client.GET("/v1/knowledge/collections/{id}/sync", { params: { path: { id: collectionId } } });
  }
  return current;
}

/** Returns the sync to continue, after one that is being applied; undefined without one. */
async function findOpenSync(options: Target): Promise<string | undefined> {
  const { client, collectionId } = options;
  try {
    const latest = await client.GET("/v1/knowledge/collections/{id}/sync", { params: { path: { id: collectionId } } });
    const sync = await waitUntilApplied(options, latest);
    return sync.status === "open" ? sync.id : undefined;
  } catch (error) {
    if (isProblem(error, "not_found")) return undefined;
    throw error;
  }
}

async function compare(options: Target, files: readonly ListedFile[]): Promise<Differences> {
  const { client, collectionId, isDryRun } = options;
  const params = { path: { id: collectionId } };
  let syncId = options.resumes && !isDryRun ? await findOpenSync(options) : undefined;
  const differences = {
    pending: [] as ListedFile[],
    removed: [] as Differences["removed"],
    refused: [] as Differences["refused"],
  };
  let missing = 0;
  let start = 0;
  let after: string | null = null;
  do {
    const page = takePage(files.slice(start, start + PAGE_FILES));
    const is_last: boolean = start + page.length >= files.length;
    const entries = page.map(({ entry }) => entry);
    const body = { after, entries, is_last, dry_run: isDryRun, ...(syncId !== undefined && { sync_id: syncId }) };
    const reply: Comparison = await client.PUT("/v1/knowledge/collections/{id}/sync", { params, body });
    syncId = reply.sync?.id;
    const differing = new Set([...reply.missing, ...reply.changed]);
    differences.pending.push(...page.filter(({ entry }) => differing.has(entry.path)));
    missing += reply.missing.length;
    differences.removed.push(...reply.removed);
    differences.refused.push(...reply.refused);
    after = reply.cursor;
    while (after !== null && (files[start]?.key ?? "g") <= after) start += 1;
    options.report(`compared ${after === null ? files.length : start} of ${files.length} files`);
  } while (after !== null);
  return { syncId, missing, ...differences };
}

function takeBatch(pending: readonly ListedFile[]): ListedFile[] {
  let bytes = 0;
  const end = pending.findIndex(({ entry }, index) => {
    bytes += entry.size;
    return index >= BATCH_FILES || (bytes > BATCH_BYTES && index > 0);
  });
  return pending.slice(0, end < 0 ? pending.length : end);
}

interface Upload {
  readonly method: string;
  readonly url: string;
}

async function upload({ method, url }: Upload, { file }: ListedFile): Promise<void> {
  const parts: Uint8Array[] = [];
  for await (const part of file.read()) parts.push(part);
  const response = await fetch(url, { method, body: Buffer.concat(parts) });
  if (!response.ok) throw new Error(`the upload was answered with the status ${response.status}`);
}

/** Stages files and uploads them. @returns the paths of those that failed, with the reasons */
async function stage(options: Target, sync_id: string, pending: readonly ListedFile[]): Promise<Failure[]> {
  const { client, collectionId, readers, report } = options;
  const failures: Failure[] = [];
  const fail = ({ entry: { path } }: ListedFile, error: unknown) => {
    failures.push({ path, reason: (error as Error).message });
  };
  for (let start = 0; start < pending.length; ) {
    const batch = takeBatch(pending.slice(start, start + BATCH_FILES));
    // A file may have changed since it was listed; the size of its upload must be exact.
    const current: ListedFile[] = [];
    for (const listed of batch) {
      try {
        current.push({ ...listed, entry: await toEntry(listed.file, readers) });
      } catch (error) {
        fail(listed, error);
      }
    }
    if (current.length > 0) {
      const entries: Entry[] = current.map(({ entry }) => entry);
      const params = { path: { id: collectionId } };
      const body = { sync_id, entries };
      const { results } = await client.PUT("/v1/knowledge/collections/{id}/sync/entries", { params, body });
      await Promise.all(
        results.map(async (result, index) => {
          const listed = current[index];
          if (result.upload && listed) await upload(result.upload, listed).catch((error) => fail(listed, error));
        }),
      );
    }
    start += batch.length;
    report(`sent ${start} of ${pending.length} new and changed files`);
  }
  return failures;
}

interface Failure {
  readonly path: string;
  readonly reason: string;
}

/** Completes a sync and waits until its result is visible. @returns null if it would remove too many documents */
async function complete(options: Target, sync_id: string): Promise<SyncState | null> {
  const { client, collectionId, isConfirmed, report } = options;
  const params = { path: { id: collectionId } };
  const body = { sync_id, confirm: isConfirmed };
  try {
    const sync = await client.POST("/v1/knowledge/collections/{id}/sync/complete", { params, body });
    return await waitUntilApplied(options, sync);
  } catch (error) {
    if (!isProblem(error, "conflict") || !("removed" in error.problem)) throw error;
    report(error.message);
    return null;
  }
}

function reportFailures({ warn }: SyncOptions, failures: readonly Failure[]): void {
  for (const { path, reason } of failures) warn(`failed: ${path}: ${reason}`);
}

/** Reports the documents that cannot be read, also those that an earlier sync has brought. The service names the first 20. */
function reportUnread(options: SyncOptions, { failed, failures }: SyncState): void {
  if (failed === 0) return;
  const more = failed > failures.length ? `, of which the first ${failures.length} are named` : "";
  options.warn(`${failed} ${failed === 1 ? "document" : "documents"} could not be read${more}:`);
  reportFailures(
    options,
    failures.map(({ path, message }) => ({ path, reason: message })),
  );
}

function reportDifferences({ report }: SyncOptions, { pending, missing, removed, refused }: Differences): void {
  for (const { path, code } of refused) report(`left out: ${path}: ${code}`);
  const known = new Set(removed.map(({ hash }) => hash));
  const moved = pending.filter(({ entry }) => known.delete(entry.hash)).length;
  const counts = { new: missing - moved, changed: pending.length - missing, moved, removed: removed.length - moved };
  report(
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", "),
  );
}

/** Makes a collection the same as a source. Nothing of it is visible before all of it is. */
export async function runSync(options: SyncOptions): Promise<ExitCode> {
  const { source, readers, isDryRun, skipsUnreadable, report } = options;
  const { files, unreadable } = await listFiles(source, readers, (count) => {
    if (count % 1_000 === 0) report(`read ${count} files`);
  });
  report(`read ${files.length} files`);
  reportFailures(options, unreadable);
  if (unreadable.length > 0 && !skipsUnreadable) {
    report("Nothing was changed, because a file that cannot be read would be removed. --skip-unreadable removes it.");
    return exitCodes.filesFailed;
  }
  const { collectionId } = options;
  const target = collectionId === undefined ? undefined : { ...options, collectionId };
  const differences = target ? await compare(target, files) : allNew(files);
  reportDifferences(options, differences);
  const failed = unreadable.length > 0 ? exitCodes.filesFailed : exitCodes.ok;
  if (isDryRun || !target || differences.syncId === undefined) return failed;
  const failures = await stage(target, differences.syncId, differences.pending);
  reportFailures(options, failures);
  const sync = await complete(target, differences.syncId);
  if (sync === null) return exitCodes.guard;
  reportUnread(options, sync);
  const { status, added, changed, moved, removed } = sync;
  report(`${status}: ${added} added, ${changed} changed, ${moved} moved, ${removed} removed, ${sync.failed} failed`);
  return status !== "completed" || failures.length + sync.failed > 0 ? exitCodes.filesFailed : failed;
}
