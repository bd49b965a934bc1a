import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

const sources = new Map<string, URL>();

/**
 * A module of this folder and the modules it imports, as one URL of plain JavaScript. Stripping types here, once, starts a
 * worker in a third of the time: each thread would otherwise load the TypeScript parser for itself.
 */
export function workerSource(file: string): URL {
  const known = sources.get(file);
  if (known) return known;
  const code = strip(file).replace(
    /from "\.\/([\w-]+\.ts)"/g,
    (_, imported: string) => `from "${workerSource(imported).href}"`,
  );
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  sources.set(file, url);
  return url;
}

/** Node announces this function as experimental, though it does the same unasked for every file it runs here. */
function strip(file: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(readFileSync(new URL(file, import.meta.url), "utf8"), {
      sourceUrl: `lambda-runtime/${file}`,
    });
  } finally {
    process.emitWarning = emitWarning;
  }
}
