/**
 * Locations of bundles, as data that threads can exchange. The synthesis needs nothing else of bundles.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { getToolSetting } from "../../shared/lib/env.ts";
import { listSourceFiles } from "../source-files.ts";
import { listEntryPoints } from "./entry-points.ts";
import { type CodeForm, type FunctionGroup, groupEntries, handlerOf } from "./function-groups.ts";

/** A directory for CDK to deploy. */
export interface AssetSource {
  readonly directory: string;
  /** Hash of the sources, for a directory that is filled later; by default, that of the content counts. */
  readonly hash?: string;
}

/** Where the code of a function is. */
export interface FunctionCode extends AssetSource {
  /** File and export, as in Lambda's setting `Handler`. */
  readonly handler: string;
}

export interface Bundle {
  /** Returns the code of the entry point with an id. */
  codeOf(entry: string): FunctionCode;
  /** Files of the stream processors. */
  readonly processors: readonly string[];
  /** Files of the queue consumers. */
  readonly jobs: readonly string[];
}

export interface FunctionsPlan extends Pick<Bundle, "processors" | "jobs"> {
  /** Repository root. */
  readonly root: string;
  readonly form: CodeForm;
  readonly groups: readonly FunctionGroup[];
  /** Directory of all bundles; that of a group has the path of its name in it. */
  readonly directory: string;
  readonly hash: string;
}

export interface SitePlan {
  /** Repository root. */
  readonly root: string;
  readonly directory: string;
  readonly hash: string;
  /** Content of `console/config.json`. */
  readonly settings: string;
}

export interface BundlePlan {
  readonly functions: FunctionsPlan;
  readonly site: SitePlan;
}

/** Returns true if bundles get inline source maps for a debugger. They triple the size, so that deployments do not have them. */
export const hasSourceMaps = () => getToolSetting("SOURCE_MAPS") === "1";

/** Plans bundles in `dist/<hash of the sources>`. `BUNDLE_DIRECTORY` names a directory of finished bundles to use instead. */
export function planFunctions(root: string, form: CodeForm): FunctionsPlan {
  const { all, processors, jobs } = listEntryPoints(root);
  const inputs = ["functions", "shared", "package.json", "package-lock.json", relative(root, import.meta.dirname)];
  const hash = hashFiles(root, inputs, JSON.stringify([form, hasSourceMaps(), all]));
  const directory = getToolSetting("BUNDLE_DIRECTORY") || join(root, "dist", hash);
  return { root, form, groups: groupEntries(all, form), directory, hash, processors, jobs };
}

/**
 * Plans the site, the console and the documentation, in `dist/site-<hash>`. Its files have the paths of their URLs.
 * @param settings result of `siteSettings`
 */
export function planSite(root: string, settings: string): SitePlan {
  const sources = ["functions/web", "shared/client", "shared/api", "docs", "openapi.json", "package-lock.json"];
  const hash = hashFiles(root, [...sources, relative(root, import.meta.dirname)], settings);
  return { root, settings, directory: join(root, "dist", `site-${hash}`), hash };
}

/** Returns the bundles of a plan. Those in groups can be filled later. */
export function bundleOf({ form, groups, directory, hash, processors, jobs }: FunctionsPlan): Bundle {
  const codes = new Map(
    groups.flatMap((group) =>
      group.entries.map((entry): [string, FunctionCode] => {
        const code = { directory: join(directory, group.name), handler: handlerOf(entry, group) };
        return [entry.id, form === "minified" ? code : { ...code, hash: `${hash} ${group.name}` }];
      }),
    ),
  );
  return { processors, jobs, codeOf: (entry) => codes.get(entry) as FunctionCode };
}

/** Returns a hash of a text and of files and directories, which are relative to the root. */
function hashFiles(root: string, paths: readonly string[], text: string): string {
  const hash = createHash("sha256").update(text);
  for (const file of paths.flatMap((path) => listSourceFiles(join(root, path)))) {
    hash.update(relative(root, file)).update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}
