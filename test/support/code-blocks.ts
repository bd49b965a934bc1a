import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Fenced code block of a Markdown page. */
export interface CodeBlock {
  readonly page: string;
  readonly language: string;
  /** Words after the language, such as `no-run`. */
  readonly flags: readonly string[];
  readonly code: string;
  /** Line of the fence, from 1. */
  readonly line: number;
}

/** Returns the code blocks of a Markdown page in order. */
export async function readCodeBlocks(page: string): Promise<CodeBlock[]> {
  const text = await readFile(page, "utf8");
  return [...text.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = "", 2: flags = "", 3: code = "", index }) => ({
      page,
      language,
      flags: flags.split(" ").filter(Boolean),
      code,
      line: text.slice(0, index).split("\n").length,
    }),
  );
}

/** Points imports of the published client to its source in this repository. */
const resolveImports = (code: string): string =>
  code.replaceAll('"@switchboard/client"', JSON.stringify(pathToFileURL(resolve("shared/client/index.ts")).href));

/**
 * Runs a TypeScript or shell block in a process of its own and returns what it printed.
 * @throws Error with stderr for an exit code other than 0
 */
export async function runCodeBlock({ language, code }: CodeBlock, env: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "code-block-"));
  try {
    const isShell = language === "sh";
    const file = join(directory, isShell ? "block.sh" : "block.mts");
    await symlink(resolve("node_modules"), join(directory, "node_modules"));
    await writeFile(file, isShell ? code : resolveImports(code));
    const command = isShell ? (["bash", ["-euo", "pipefail", file]] as const) : ([process.execPath, [file]] as const);
    const { stdout } = await run(command[0], command[1], {
      cwd: directory,
      env: { ...process.env, ...env },
      timeout: 180_000,
    });
    return stdout;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
