import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { codeOf, Failure } from "../failure.ts";
import { type Fields, fields } from "../json.ts";

/** Stream positions of the change feeds, persisted in a file. */
export class Checkpoints {
  readonly #file: string;
  readonly #positions: Fields;
  #flushTimer: NodeJS.Timeout | undefined;

  /** @throws Failure when the file exists and is not valid JSON */
  constructor(file: string) {
    this.#file = file;
    try {
      this.#positions = fields(JSON.parse(readFileSync(file, "utf8")));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") {
        throw new Failure(`${file} is not valid JSON. Start with --fresh to reset the local state.`);
      }
      this.#positions = {};
    }
  }

  get(feed: string): Fields | undefined {
    const position = this.#positions[feed];
    return position === undefined ? undefined : fields(position);
  }

  /** Stores a position. The file is written with a delay; after a crash, changes may be delivered again, as on AWS. */
  set(feed: string, position: Fields): void {
    this.#positions[feed] = position;
    this.#flushTimer ??= setTimeout(() => this.flush(), 200);
  }

  flush(): void {
    if (!this.#flushTimer) return;
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#positions, null, 2));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
