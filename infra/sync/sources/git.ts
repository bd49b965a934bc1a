import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FileSource } from "../source-file.ts";
import { toSourceFile } from "./folder.ts";

const run = promisify(execFile);

/** Yields the names that a command prints, which NUL characters separate. */
async function* listNames(command: string, args: readonly string[]): AsyncGenerator<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  let rest = "";
  for await (const part of child.stdout.setEncoding("utf8")) {
    const names = (rest + part).split("\0");
    rest = names.pop() ?? "";
    yield* names;
  }
  if ((await ended) !== 0) throw new Error(`${command} ${args.join(" ")} failed`);
}

/**
 * Files that Git tracks in a repository: a folder with a working tree, or an address that is cloned without its history for the
 * duration of the sync. The credentials are those of the installed Git.
 */
export const git = (repository: string, branch?: string): FileSource =>
  async function* () {
    const isAddress = /^[\w+.-]+:\/\/|^[\w.-]+@[\w.-]+:/.test(repository);
    const root = isAddress ? await mkdtemp(join(tmpdir(), "switchboard-sync-")) : repository;
    try {
      if (isAddress) {
        const options = branch === undefined ? [] : ["--branch", branch];
        await run("git", ["clone", "--quiet", "--depth", "1", ...options, "--", repository, root]);
      }
      for await (const name of listNames("git", ["-C", root, "ls-files", "-z", "--cached"])) {
        // Undefined for a submodule, too, and for a file that was deleted without a commit.
        const file = await toSourceFile(root, name);
        if (file) yield { ...file, modifiedAt: undefined };
      }
    } finally {
      if (isAddress) await rm(root, { recursive: true, force: true });
    }
  };
