import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeOf, Failure, messageOf } from "./failure.ts";

/** Files and directories of the state, which `--fresh` deletes. Nothing else in the directory is touched. */
const stateEntries = [
  "table.db",
  "table.db-wal",
  "table.db-shm",
  "table.db-journal",
  "secrets.json",
  "checkpoints.json",
  "queues",
  "buckets",
];

/** Directory with the state of the local app. Only one runner can use it at a time. */
export class StateDirectory {
  readonly #directory: string;
  readonly #configuredPath: string;
  readonly #token = randomUUID();

  /**
   * Creates the directory if it does not exist, and makes it accessible to its owner only.
   * @throws Failure if that fails
   */
  constructor(directory: string) {
    this.#directory = resolve(directory);
    this.#configuredPath = directory;
    this.#write(() => mkdirSync(this.#directory, { recursive: true, mode: 0o700 }));
    // It contains keys and conversations, and `mkdirSync` leaves the mode of a directory that exists.
    this.#write(() => chmodSync(this.#directory, 0o700));
  }

  file(name: string): string {
    return join(this.#directory, name);
  }

  /** Token by which other runners recognize this one. */
  get token(): string {
    return this.#token;
  }

  /**
   * Locks the directory for this runner. Asks the holder of an existing lock whether it is alive, so that the lock of a
   * killed runner is ignored.
   * @param address address of this runner's internal server
   * @throws Failure if another runner holds the lock, or the directory is not writable
   */
  async lock(address: string): Promise<void> {
    const holder = this.#holder();
    if (holder && (await isAlive(holder.address, holder.token))) {
      throw new Failure(`Another runner uses ${this.#directory}. Stop it, or set another STATE_DIR.`);
    }
    this.#write(() => writeFileSync(this.file("lock.json"), JSON.stringify({ address, token: this.#token })));
  }

  /** Releases the lock, if this runner holds it. */
  unlock(): void {
    if (this.#holder()?.token === this.#token) rmSync(this.file("lock.json"), { force: true });
  }

  clear(): void {
    for (const entry of stateEntries) rmSync(this.file(entry), { recursive: true, force: true });
  }

  #write(write: () => void): void {
    try {
      write();
    } catch (error) {
      throw new Failure(
        `STATE_DIR ${this.#configuredPath} cannot be used (${messageOf(error)}). Set it to a writable directory.`,
      );
    }
  }

  #holder(): { address: string; token: string } | undefined {
    try {
      return JSON.parse(readFileSync(this.file("lock.json"), "utf8"));
    } catch (error) {
      // A malformed lock is a partial write of a runner that crashed.
      if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

async function isAlive(address: string, token: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${address}/runner`, { signal: AbortSignal.timeout(1000) });
    return (await response.text()) === token;
  } catch {
    return false;
  }
}
