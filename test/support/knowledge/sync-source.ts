import { createHash } from "node:crypto";
import { expect, vi } from "vitest";
import type { ApiResponse, Client } from "#test/support/client.ts";

export interface SourceFile {
  readonly text: string;
  readonly readers?: readonly string[] | null;
  readonly uri?: string;
}

/** Files of a source by path. */
export type Source = Readonly<Record<string, SourceFile | string>>;

export const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex");

const toFile = (file: SourceFile | string): SourceFile => (typeof file === "string" ? { text: file } : file);

/** Returns the entries of a manifest in their order. */
export const toEntries = (source: Source) =>
  Object.entries(source)
    .map(([path, file]) => ({ path, ...toFile(file) }))
    .map(({ text, ...entry }) => ({ ...entry, hash: sha256Hex(text), size: Buffer.byteLength(text) }))
    .sort((one, other) => (sha256Hex(one.path) < sha256Hex(other.path) ? -1 : 1));

/** Client of a sync that sends each request on its own, so that tests can stop between them. */
export class SyncDriver {
  readonly #client: Client;
  readonly #path: string;
  syncId: string | undefined;

  constructor(client: Client, collection: string, syncId?: string) {
    this.#client = client;
    this.#path = `${collection}/sync`;
    this.syncId = syncId;
  }

  put = (body: object): Promise<ApiResponse> => this.#client.put(this.#path, body);

  get = async () => (await this.#client.get(this.#path)).body;

  /** Compares a source, in pages, and returns the differences. */
  async compare(source: Source, pageSize = 1_000) {
    const all = toEntries(source);
    const differences = { missing: [] as string[], changed: [] as string[], removed: [] as string[] };
    for (let after: string | null = null, isDone = false; !isDone; ) {
      const rest = all.filter(({ path }) => after === null || sha256Hex(path) > after);
      const entries = rest.slice(0, pageSize);
      const is_last = entries.length === rest.length;
      const { status, body }: ApiResponse = await this.put({ sync_id: this.syncId, after, entries, is_last });
      expect([status, body.detail]).toEqual([200, undefined]);
      this.syncId = body.sync.id;
      differences.missing.push(...body.missing);
      differences.changed.push(...body.changed);
      differences.removed.push(...body.removed.map(({ path }: { path: string }) => path));
      after = body.cursor;
      isDone = after === null;
    }
    return differences;
  }

  /** Stages files, and uploads those that the service asks for. */
  async stage(source: Source, paths: readonly string[], { uploads = true } = {}) {
    const entries = toEntries(source).filter(({ path }) => paths.includes(path));
    const results: { path: string; change: string; document_id: string; upload: { url: string } | null }[] = [];
    for (let start = 0; start < entries.length; start += 40) {
      const body = { sync_id: this.syncId, entries: entries.slice(start, start + 40) };
      const reply = await this.#client.put(`${this.#path}/entries`, body);
      expect([reply.status, reply.body.detail]).toEqual([200, undefined]);
      results.push(...reply.body.results);
    }
    for (const { path, upload } of uploads ? results : []) {
      if (!upload) continue;
      const { text } = toFile(source[path] as SourceFile);
      expect((await fetch(upload.url, { method: "PUT", body: text })).status).toBe(200);
    }
    return results;
  }

  complete = (confirm = false): Promise<ApiResponse> =>
    this.#client.post(`${this.#path}/complete`, { sync_id: this.syncId, confirm });

  /** Waits until what was completed is visible. */
  async settled() {
    return vi.waitFor(
      async () => {
        const sync = await this.get();
        expect(sync.status).toBe("completed");
        return sync;
      },
      { timeout: 180_000, interval: 200 },
    );
  }

  /** Does all of a sync. */
  async run(source: Source, { confirm = false } = {}) {
    const { missing, changed } = await this.compare(source);
    const staged = await this.stage(source, [...missing, ...changed]);
    const { status, body } = await this.complete(confirm);
    expect([status, body.detail]).toEqual([200, undefined]);
    const sync = await this.settled();
    this.syncId = undefined;
    return { sync, staged };
  }
}
