import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { basename } from "node:path";

const sources = new Map<string, URL>();

/**
 * Compiles a module and its relative imports to one data URL of JavaScript, from which worker threads start. Stripping the
 * types here, once, makes the start of a worker three times as fast. Modules must import and export by name.
 * @param file relative to this module, or absolute
 */
export function workerSource(file: string | URL): URL {
  const location = new URL(file, import.meta.url);
  const source = sources.get(location.href) ?? toDataUrl(location);
  sources.set(location.href, source);
  return source;
}

function toDataUrl(location: URL): URL {
  const modules = new Map<string, string>();
  addModule(location, modules);
  const code = `const modules = {};\n${[...modules.values()].join("\n")}\n//# sourceURL=lambda-runtime/${basename(location.pathname)}`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** Adds a module as a function that returns its exports, after the modules that it imports. */
function addModule(location: URL, modules: Map<string, string>): void {
  if (modules.has(location.href)) return;
  const exported: string[] = [];
  const body = stripTypes(location)
    .replace(/^import \{([^}]*)\} from "([^"]+)";/gm, (_, names: string, specifier: string) => {
      const { protocol, href } = new URL(specifier, location);
      if (protocol !== "node:") addModule(new URL(href), modules);
      const module = protocol === "node:" ? `process.getBuiltinModule("${href}")` : `modules["${href}"]`;
      return `const {${names.replaceAll(" as ", ": ")}} = ${module};`;
    })
    .replace(/^export (?=(?:async )?(?:function|class|const) (\w+))/gm, (_, name: string) => {
      exported.push(name);
      return "";
    });
  modules.set(location.href, `modules["${location.href}"] = (() => {${body}\nreturn { ${exported.join(", ")} };})();`);
}

/** Strips the types of a module without Node's warning that this is experimental. */
function stripTypes(location: URL): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(readFileSync(location, "utf8"));
  } finally {
    process.emitWarning = emitWarning;
  }
}
