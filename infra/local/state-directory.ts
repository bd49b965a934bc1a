import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeOf, Failure, messageOf } from "./failure.ts";

/** Everything the runner remembers between starts, and nothing else: `--fresh` removes exactly these. */
const entries = [
  "table.db",
  "table.db-wal",
  "table.db-shm",
  "table.db-journal",
  "secrets.json",
  "checkpoints.json",
  "queues",
];

/** The directory with the state of the app that runs here. One runner at a time may use it. */
export class StateDirectory {
  readonly #directory: string;
  readonly #asGiven: string;
  readonly #token = randomUUID();

  /** @throws Failure when the directory cannot be made */
  constructor(directory: string) {
    this.#directory = resolve(directory);
    this.#asGiven = directory;
    this.#write(() => mkdirSync(this.#directory, { recursive: true }));
  }

  /** Path of one of its files. */
  file(name: string): string {
    return join(this.#directory, name);
  }

  /** What this runner answers when asked who it is. */
  get token(): string {
    return this.#token;
  }

  /**
   * Takes the directory for this runner, whose internal server listens at `address`. A lock left behind by a runner that was
   * killed is told from a living one by asking it.
   * @throws Failure when another runner uses it, or it cannot be written
   */
  async lock(address: string): Promise<void> {
    const holder = this.#holder();
    if (holder && (await answers(holder.address, holder.token)))
      throw new Failure(`Another runner uses ${this.#directory}. Stop it first, or give this one another STATE_DIR.`);
    this.#write(() => writeFileSync(this.file("lock.json"), JSON.stringify({ address, token: this.#token })));
  }

  /** Gives the directory free again. */
  unlock(): void {
    if (this.#holder()?.token === this.#token) rmSync(this.file("lock.json"), { force: true });
  }

  /** Forgets the state. */
  clear(): void {
    for (const entry of entries) rmSync(this.file(entry), { recursive: true, force: true });
  }

  #write(write: () => void): void {
    try {
      write();
    } catch (error) {
      throw new Failure(
        `STATE_DIR ${this.#asGiven} cannot be used (${messageOf(error)}). Name a directory that may be written.`,
      );
    }
  }

  #holder(): { address: string; token: string } | undefined {
    try {
      return JSON.parse(readFileSync(this.file("lock.json"), "utf8"));
    } catch (error) {
      // A lock that cannot be read was cut off while being written: its writer is gone.
      if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

async function answers(address: string, token: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${address}/runner`, { signal: AbortSignal.timeout(1000) });
    return (await response.text()) === token;
  } catch {
    return false;
  }
}
