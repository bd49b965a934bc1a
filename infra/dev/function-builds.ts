import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { type BuildFailure, formatMessages, type Metafile } from "esbuild";
import type { Route } from "../../shared/api/define-route.ts";
import { buildFunctions, listEntryPoints } from "../bundle/bundle.ts";

/** Writes a file under a temporary name and renames it, so that readers never see a partial file. */
function writeWhole(path: string, contents: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
}

function hasContents(path: string, contents: Uint8Array): boolean {
  try {
    return readFileSync(path).equals(contents);
  } catch {
    return false;
  }
}

/** Bundles of all functions in one directory. Rebuilds those whose sources changed. */
export class FunctionBuilds {
  readonly #entries: readonly string[];
  readonly #root: string;
  readonly #directory: string;
  /** Source files of each entry point in its last successful build, relative to the repository root. */
  readonly #sources = new Map<string, ReadonlySet<string>>();
  /** Entry points whose last build failed, which the next build repeats. */
  #failed: readonly string[] = [];

  /** @param directory directory for `<entry>/index.cjs` of each entry point */
  constructor(routes: readonly Route[], root: string, directory: string) {
    this.#entries = listEntryPoints(routes, root).all;
    this.#root = root;
    this.#directory = directory;
  }

  /**
   * Bundles all functions.
   * @returns the number of bundles that changed
   * @throws Error with the messages of the compiler
   */
  buildAll(): Promise<number> {
    return this.#build(this.#entries);
  }

  /**
   * Bundles the functions that contain one of the files, and those whose last build failed.
   * @param files absolute paths
   * @returns the number of bundles that changed
   * @throws Error with the messages of the compiler
   */
  rebuild(files: ReadonlySet<string>): Promise<number> {
    const changed = [...files].map((file) => relative(this.#root, file));
    const isAffected = (entry: string) => changed.some((file) => this.#sources.get(entry)?.has(file));
    return this.#build(this.#entries.filter((entry) => isAffected(entry) || this.#failed.includes(entry)));
  }

  async #build(entries: readonly string[]): Promise<number> {
    this.#failed = entries;
    let changedCount = 0;
    const { files, metafile } = await buildFunctions(entries, this.#root, this.#directory, "plain").catch(toReadable);
    this.#remember(metafile);
    for (const { path, contents } of files) {
      if (hasContents(path, contents)) continue;
      writeWhole(path, contents);
      changedCount++;
    }
    this.#failed = [];
    return changedCount;
  }

  #remember({ outputs }: Metafile): void {
    for (const { entryPoint, inputs } of Object.values(outputs)) {
      if (entryPoint) this.#sources.set(entryPoint, new Set(Object.keys(inputs)));
    }
  }
}

async function toReadable(error: BuildFailure): Promise<never> {
  if (!error.errors) throw error;
  throw new Error((await formatMessages(error.errors, { kind: "error" })).join("\n"), { cause: error });
}
