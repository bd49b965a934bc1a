import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { getToolSetting } from "../../shared/lib/env.ts";
import { SynthesisError } from "../synthesis-error.ts";
import { buildFunctions } from "./build-functions.ts";
import { type Bundle, bundleOf, type FunctionsPlan } from "./bundle-plan.ts";

/** Number of bundles and sites to keep in `dist`, one per state of the sources. */
const maxBundles = 16;

/**
 * Bundles functions into `<directory of the plan>/<name of the group>/index.cjs`, unless these bundles already exist.
 * @throws SynthesisError when a source does not compile
 */
export async function bundleFunctions(plan: FunctionsPlan): Promise<Bundle> {
  const { root, groups, directory } = plan;
  if (!getToolSetting("BUNDLE_DIRECTORY")) {
    const dist = join(root, "dist");
    const isComplete = groups.every(({ name }) => existsSync(join(directory, name, "index.cjs")));
    if (isComplete) await utimes(directory, new Date(), new Date());
    else await bundleInto(dist, plan);
    await prune(dist, directory);
  }
  return bundleOf(plan);
}

/** Writes the bundles to a temporary directory and renames theirs, so that concurrent processes never see a partial one. */
async function bundleInto(dist: string, { root, form, groups, directory }: FunctionsPlan): Promise<void> {
  const draft = join(dist, `draft-${randomUUID()}`);
  await mkdir(dist, { recursive: true });
  try {
    const { files } = await buildFunctions(groups, root, draft, form);
    await Promise.all(
      files.map(async ({ path, contents }) => {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, contents);
      }),
    );
    for (const { name } of groups) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await rename(join(draft, name), join(directory, name)).catch(ignoreExisting);
    }
  } catch (error) {
    throw new SynthesisError(`Bundling the functions failed.\n${(error as Error).message}`);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Another process can have finished the same bundle. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
}

async function prune(dist: string, current: string): Promise<void> {
  const others = (await readdir(dist)).map((name) => join(dist, name)).filter((path) => path !== current);
  // Another process can remove a directory concurrently; skip it.
  const withLastUse = (path: string) =>
    stat(path).then(
      ({ mtimeMs }) => [{ path, usedAtMs: mtimeMs }],
      () => [],
    );
  const bundles = (await Promise.all(others.map(withLastUse))).flat();
  const surplus = bundles.sort((a, b) => b.usedAtMs - a.usedAtMs).slice(maxBundles - 1);
  await Promise.all(surplus.map(({ path }) => rm(path, { recursive: true, force: true })));
}
