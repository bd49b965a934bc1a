import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { type BuildFailure, formatMessages, type Metafile } from "esbuild";
import { type BuildResult, buildFunctions, createBuilder } from "../bundle/build-functions.ts";
import { listEntryPoints } from "../bundle/entry-points.ts";
import { esbuildEntryOf, type FunctionGroup, groupEntries } from "../bundle/function-groups.ts";

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
  readonly #groups: readonly FunctionGroup[];
  readonly #root: string;
  readonly #directory: string;
  /** Source files of each bundle in its last successful build, relative to the repository root, by `esbuildEntryOf`. */
  readonly #sources = new Map<string, ReadonlySet<string>>();
  /** Builders of groups that were edited alone. */
  readonly #builders = new Map<FunctionGroup, ReturnType<typeof createBuilder>>();
  /** Groups whose last build failed, which the next build repeats. */
  #failed: readonly FunctionGroup[] = [];

  /** @param directory directory for `<group>/index.cjs` of each group of functions */
  constructor(root: string, directory: string) {
    this.#groups = groupEntries(listEntryPoints(root).all, "grouped");
    this.#root = root;
    this.#directory = directory;
  }

  /**
   * Bundles all functions.
   * @returns the number of bundles that changed
   * @throws Error with the messages of the compiler
   */
  buildAll(): Promise<number> {
    return this.#build(this.#groups);
  }

  /**
   * Builds the bundles that contain one of the files, and those whose last build failed.
   * @param files absolute paths
   * @returns the number of bundles that changed
   * @throws Error with the messages of the compiler
   */
  rebuild(files: ReadonlySet<string>): Promise<number> {
    const changed = [...files].map((file) => relative(this.#root, file));
    const isAffected = (group: FunctionGroup) =>
      changed.some((file) => this.#sources.get(esbuildEntryOf(group))?.has(file));
    return this.#build(this.#groups.filter((group) => isAffected(group) || this.#failed.includes(group)));
  }

  async #build(groups: readonly FunctionGroup[]): Promise<number> {
    this.#failed = groups;
    let changedCount = 0;
    const { files, metafile } = await this.#bundle(groups).catch(toReadable);
    this.#remember(metafile);
    for (const { path, contents } of files) {
      if (hasContents(path, contents)) continue;
      writeWhole(path, contents);
      changedCount++;
    }
    this.#failed = [];
    return changedCount;
  }

  async #bundle(groups: readonly FunctionGroup[]): Promise<BuildResult> {
    const build = [groups, this.#root, this.#directory, "grouped"] as const;
    const [group, ...others] = groups;
    if (group === undefined || others.length > 0) return buildFunctions(...build);
    const builder = this.#builders.get(group) ?? createBuilder(...build);
    this.#builders.set(group, builder);
    return (await builder)();
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
