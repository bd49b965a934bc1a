import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { codeOf, Failure } from "../failure.ts";
import { type Fields, fields } from "../json.ts";

/** How far each change feed has come, in a file. */
export class Checkpoints {
  readonly #file: string;
  readonly #positions: Fields;
  #pending: NodeJS.Timeout | undefined;

  /** @throws Failure when the file exists and is not what this class wrote */
  constructor(file: string) {
    this.#file = file;
    try {
      this.#positions = fields(JSON.parse(readFileSync(file, "utf8")));
    } catch (error) {
      if (codeOf(error) !== "ENOENT")
        throw new Failure(`${file} cannot be read as JSON. Start with --fresh to forget the local state.`);
      this.#positions = {};
    }
  }

  get(feed: string): Fields | undefined {
    const position = this.#positions[feed];
    return position === undefined ? undefined : fields(position);
  }

  /** Remembers a position. The file follows a little later: at worst, changes are delivered again, as on AWS. */
  set(feed: string, position: Fields): void {
    this.#positions[feed] = position;
    this.#pending ??= setTimeout(() => this.flush(), 200);
  }

  /** Writes what is not yet in the file. */
  flush(): void {
    if (!this.#pending) return;
    clearTimeout(this.#pending);
    this.#pending = undefined;
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#positions, null, 2));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
