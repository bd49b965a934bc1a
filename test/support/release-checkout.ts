import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Commits of the releases whose code tests run. */
export const releaseCommits = { "0.1.0": "dadb1e5" } as const;

/** Returns false for a shallow clone, which does not contain the commit. */
export const hasCommit = (commit: string): boolean =>
  spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`]).status === 0;

/** Checks the code of a commit out into a new directory, with its dependencies. The caller removes the directory. */
export function checkOut(commit: string): string {
  const directory = mkdtempSync(join(tmpdir(), "switchboard-release-"));
  const archive = execFileSync("git", ["archive", commit], { maxBuffer: 256 * 1_048_576 });
  execFileSync("tar", ["-x", "-C", directory], { input: archive });
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: directory, stdio: ["ignore", "ignore", "inherit"] });
  return directory;
}
