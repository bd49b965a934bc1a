import { MAX_IMPORT_BYTES, MAX_WEB_PAGE_BYTES } from "../../api/limits.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { sendToQueue } from "../../lib/aws/sqs.ts";
import { now } from "../../lib/clock.ts";
import { env } from "../../lib/env.ts";
import { ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { findCollections } from "../collection-store.ts";
import { fetchPublic, ImportError, type ImportFailure } from "./fetch-public.ts";
import { abortRun, claimRun, endRun, progressWrite, RunSuperseded, restartWrites } from "./import-runs.ts";
import { findImport, type ImportJob, type StoredImport, type StoredPage, toImportFailure } from "./import-store.ts";
import { type Fetch, PoliteFetcher } from "./polite-fetcher.ts";
import { findAddresses } from "./sitemap.ts";
import { pageWrites } from "./store-page.ts";

/** Maximum duration of a run, measured from its first job. */
const MAX_RUN_MS = 600_000;

/**
 * Time after which a job leaves the remaining pages to the next job. A page takes up to 25 s, and the function's
 * timeout is a minute.
 */
const MAX_JOB_MS = 20_000;

/** Number of jobs that may crash at the same page before the page counts as failed. */
const MAX_ATTEMPTS = 3;

/** Maximum number of times that a page is stored again because its document was changed concurrently. */
const MAX_CONFLICTS = 3;

/** Delay before a refresh is tried again because too many imports are in progress. */
const REFRESH_DELAY_SECONDS = 600;

/** Sends a job to the import queue. The queue is fair: jobs of one tenant do not delay those of another. */
function scheduleImport(job: ImportJob, delaySeconds = 0): Promise<void> {
  const { RUN_IMPORT_QUEUE_URL } = env("RUN_IMPORT_QUEUE_URL");
  return sendToQueue(RUN_IMPORT_QUEUE_URL, JSON.stringify(job), delaySeconds, job.tenantId);
}

/** Dependencies that tests replace. */
interface ImportOptions {
  readonly fetch?: Fetch;
  readonly schedule?: typeof scheduleImport;
  readonly maxJobMs?: number;
}

/** Returns the code of an `ImportError`; rethrows any other error. */
function toCode(error: unknown): ImportFailure {
  if (error instanceof ImportError) return error.code;
  throw error;
}

/** Ends a run after its last page. It failed only if all of its pages failed. */
function finish(scope: TenantScope, current: StoredImport): Promise<void> {
  const { pages } = current;
  const failure = pages.every((page) => page.failure) ? (pages[0]?.failure ?? null) : null;
  return endRun(scope, current, { status: failure ? "failed" : "ready", failure, pages });
}

/** Job of a run, which processes pages until its time is over. */
class ImportRun {
  readonly #scope: TenantScope;
  readonly #fetcher: PoliteFetcher;
  #current: StoredImport;

  constructor(scope: TenantScope, current: StoredImport, fetch: Fetch) {
    this.#scope = scope;
    this.#current = current;
    this.#fetcher = new PoliteFetcher(fetch, current.robots);
  }

  /**
   * Processes pages until the run ends or `maxJobMs` has passed.
   * @returns false if pages remain for the next job
   */
  async process(maxJobMs: number): Promise<boolean> {
    const endsAtMs = now() + maxJobMs;
    const deadlineMs = (this.#current.started_at_ms ?? now()) + MAX_RUN_MS;
    if (this.#current.planned_run !== this.#current.run) await this.#plan();
    while (this.#current.done < this.#current.pages.length) {
      if (now() >= deadlineMs) {
        await abortRun(this.#scope, this.#current, "timeout");
        return true;
      }
      if (now() >= endsAtMs) return false;
      await this.#processPage();
    }
    await finish(this.#scope, this.#current);
    return true;
  }

  /** Lists the pages of the run. Pages that an earlier run stored are assigned to their documents. */
  async #plan(): Promise<void> {
    const { pages: previous, run, attempts } = this.#current;
    if (attempts > MAX_ATTEMPTS) throw new ImportError("interrupted");
    const addresses = await findAddresses(this.#current, this.#fetcher);
    const pages = addresses.map((url): StoredPage => {
      const { document_id = null, hash = null } = previous.find((page) => page.url === url) ?? {};
      return { url, status: "pending", document_id, failure: null, hash };
    });
    const changes = { pages, planned_run: run, attempts: 1, robots: this.#fetcher.stored };
    await tenantTable(this.#scope).write(progressWrite(this.#scope, this.#current, changes));
    this.#current = { ...this.#current, ...changes };
  }

  async #processPage(): Promise<void> {
    const { pages, done, bytes, attempts } = this.#current;
    const page = pages[done] as StoredPage;
    try {
      if (attempts > MAX_ATTEMPTS) throw new ImportError("interrupted");
      const remainingBytes = MAX_IMPORT_BYTES - bytes;
      if (remainingBytes < MAX_WEB_PAGE_BYTES) throw new ImportError("import_too_large");
      const fetched = await this.#fetcher.fetch(page.url);
      for (let conflicts = 0; ; conflicts++) {
        const { writes, stored } = await pageWrites(this.#scope, this.#current, page, fetched);
        try {
          return await this.#advance(stored, fetched.content.length, writes);
        } catch (error) {
          if (error instanceof ServiceError && error.code === "storage_full") throw new ImportError("storage_full");
          // The document was changed or deleted concurrently.
          if (!(error instanceof ServiceError) || conflicts === MAX_CONFLICTS) throw error;
        }
      }
    } catch (error) {
      await this.#advance({ ...page, status: "failed", failure: toImportFailure(toCode(error)) }, 0, []);
    }
  }

  /** Stores the result of a page and its document in one transaction. */
  async #advance(
    page: StoredPage,
    size: number,
    writes: Awaited<ReturnType<typeof pageWrites>>["writes"],
  ): Promise<void> {
    const { pages, done, bytes } = this.#current;
    const changes = {
      pages: pages.with(done, page),
      done: done + 1,
      bytes: bytes + size,
      attempts: 1,
      robots: this.#fetcher.stored,
    };
    await tenantTable(this.#scope).transact([progressWrite(this.#scope, this.#current, changes), ...writes]);
    this.#current = { ...this.#current, ...changes };
  }
}

/**
 * Starts another run, upon which the rule `run-import` sends its first job. Calls `schedule` if too many imports are in
 * progress.
 */
async function refresh(scope: TenantScope, current: StoredImport, schedule: () => Promise<void>): Promise<void> {
  if (current.status === "running") return;
  const [, ...writes] = restartWrites(scope, current);
  try {
    await tenantTable(scope).transact(writes);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === "conflict") await schedule();
  }
}

/**
 * Processes pages of an import run: fetches them one after the other and stores new and changed ones. The next job
 * continues if time runs out. Idempotent, because each page is stored in one transaction with the progress of the run,
 * and only by the job that claimed the run last.
 */
export async function runImport(job: ImportJob, options: ImportOptions = {}): Promise<void> {
  const { fetch = fetchPublic, schedule = scheduleImport, maxJobMs = MAX_JOB_MS } = options;
  const scope: TenantScope = { tenantId: job.tenantId };
  const found = await findImport(scope, job);
  const [collection] = await findCollections(scope, [job.collection_id]);
  if (!found || !collection) return;
  if (job.run === undefined) return refresh(scope, found, () => schedule(job, REFRESH_DELAY_SECONDS));
  if (found.status !== "running" || found.run !== job.run) return;
  try {
    const current = await claimRun(scope, found);
    try {
      const isComplete = await new ImportRun(scope, current, fetch).process(maxJobMs);
      if (!isComplete) await schedule(job);
    } catch (error) {
      // The pages could not be listed.
      await abortRun(scope, current, toCode(error));
    }
  } catch (error) {
    if (!(error instanceof RunSuperseded)) throw error;
    log.info("import superseded", { import_id: job.id });
  }
}
