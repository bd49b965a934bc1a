import { pathToFileURL } from "node:url";

/** Error of a script that is called with wrong arguments. Its message says how to call it. */
export class UsageError extends Error {
  override name = "UsageError";
}

/**
 * Runs a script if its module is the program that was started. An error becomes one line and the exit code 1, because a stack
 * trace says nothing to operators.
 */
export async function runScript(module: ImportMeta, script: (args: readonly string[]) => Promise<void>): Promise<void> {
  if (module.url !== pathToFileURL(process.argv[1] ?? "").href) return;
  try {
    await script(process.argv.slice(2));
  } catch (error) {
    const text =
      error instanceof Error ? `${error instanceof UsageError ? "" : `${error.name}: `}${error.message}` : error;
    console.error(text);
    process.exitCode = 1;
  }
}
