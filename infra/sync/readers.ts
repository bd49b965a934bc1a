import { posix } from "node:path";
import type { createSwitchboard } from "../../shared/client/index.ts";
import { InvalidUsage } from "./source-file.ts";

type Client = ReturnType<typeof createSwitchboard>;

/** Readers of the files whose paths match a pattern. */
interface ReaderRule {
  readonly pattern: string;
  readonly readers: readonly string[] | null;
}

/** Length of the beginning of a file in which front matter is looked for. */
export const HEAD_BYTES = 8_192;

const toList = (text: string) =>
  text
    .split(",")
    .map((each) => each.trim().replace(/^["']|["']$/g, ""))
    .filter((each) => each !== "");

/**
 * Parses rules such as `hr/**=group:HR,user:ada`, one a line. Lines that begin with `#` are comments, and `collection` stands for all
 * readers of the collection.
 * @throws InvalidUsage
 */
export function parseRules(text: string): ReaderRule[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const end = line.lastIndexOf("=");
      if (end < 1) throw new InvalidUsage(`"${line}" is no rule such as hr/**=group:HR.`);
      const readers = line.slice(end + 1).trim();
      return { pattern: line.slice(0, end).trim(), readers: readers === "collection" ? null : toList(readers) };
    });
}

/** Returns the readers that the front matter of a Markdown file names: `readers: [group:HR]`, or a list of lines. */
export function readFrontMatter(path: string, head: string): readonly string[] | undefined {
  if (!/\.(?:md|markdown|mdown)$/i.test(path) || !/^\uFEFF?---\r?\n/.test(head)) return undefined;
  const lines = head.split(/\r?\n/).slice(1);
  const end = lines.indexOf("---");
  const start = lines.findIndex((line) => line.startsWith("readers:"));
  if (start < 0 || end < start) return undefined;
  const value = (lines[start] ?? "").slice("readers:".length).trim();
  if (value !== "") return toList(value.replace(/^\[|\]$/g, ""));
  const rest = lines.slice(start + 1, end);
  const length = rest.findIndex((line) => !/^\s*-\s/.test(line));
  return rest.slice(0, length < 0 ? rest.length : length).flatMap((line) => toList(line.replace(/^\s*-\s+/, "")));
}

/** Maps what sources and rules say to readers of the service. Groups are read at most once, and only if one is named. */
export class ReaderMap {
  readonly #client: Client;
  readonly #rules: readonly ReaderRule[];
  #groups: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(client: Client, rules: readonly ReaderRule[]) {
    this.#client = client;
    this.#rules = rules;
  }

  /**
   * Returns the readers of a file: those of the source, else those of its front matter, else those of the last rule that matches its
   * path, else null for all readers of the collection.
   * @throws InvalidUsage for a group that does not exist
   */
  async toReaders(path: string, ...named: readonly (readonly string[] | null | undefined)[]): Promise<string[] | null> {
    const rule = this.#rules.findLast(({ pattern }) => posix.matchesGlob(path, pattern));
    const readers = [...named, rule?.readers].find((each) => each !== undefined) ?? null;
    return readers && [...new Set(await Promise.all(readers.map((reader) => this.#toReader(reader))))].sort();
  }

  async #toReader(reader: string): Promise<string> {
    if (!reader.startsWith("group:")) return reader;
    this.#groups ??= this.#readGroups();
    const id = (await this.#groups).get(reader.slice("group:".length));
    if (id === undefined) throw new InvalidUsage(`The group of "${reader}" does not exist.`);
    return `group:${id}`;
  }

  async #readGroups(): Promise<ReadonlyMap<string, string>> {
    const { groups } = await this.#client.GET("/v1/groups");
    return new Map(groups.flatMap(({ id, name }) => [[id, id] as const, [name, id] as const]));
  }
}
