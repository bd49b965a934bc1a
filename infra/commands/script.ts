import { pathToFileURL } from "node:url";

/** Error of a script that was called with wrong arguments. The message contains the usage. */
export class UsageError extends Error {
  override name = "UsageError";
}

/**
 * Runs a script if its module is the main program. An error is printed as one line, without a stack trace, which does not
 * help operators; the exit code is 1.
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
