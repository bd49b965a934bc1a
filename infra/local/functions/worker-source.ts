import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { basename } from "node:path";

const compiledModules = new Map<string, URL>();

/**
 * Compiles a module and its relative imports to one data URL of plain JavaScript. Types are stripped once, here: otherwise
 * each worker thread loads the TypeScript parser again, and startup takes three times as long.
 * @param file relative to this module, or absolute
 */
export function workerSource(file: string | URL, base: string | URL = import.meta.url): URL {
  const location = new URL(file, base);
  const cached = compiledModules.get(location.href);
  if (cached) return cached;
  const code = stripTypes(location).replace(
    /from "(\.{1,2}\/[\w/-]+\.ts)"/g,
    (_, imported: string) => `from "${workerSource(imported, location).href}"`,
  );
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  compiledModules.set(location.href, url);
  return url;
}

/** Strips types without the experimental warning, which Node does not print when it strips the files it runs itself. */
function stripTypes(location: URL): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(readFileSync(location, "utf8"), {
      sourceUrl: `lambda-runtime/${basename(location.pathname)}`,
    });
  } finally {
    process.emitWarning = emitWarning;
  }
}
