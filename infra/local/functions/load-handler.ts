import { existsSync, readFileSync } from "node:fs";
import { Module } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Loads `file.export` from a function's directory by the rules of Lambda's runtime: `.js`, `.mjs`, then `.cjs`; a `.js` file is
 * CommonJS unless a `package.json` beside it says otherwise. (Node would ask the directories above, which are not deployed.)
 * @see https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/blob/main/src/UserFunction.js
 */
export async function loadHandler(directory: string, handler: string): Promise<unknown> {
  const dot = handler.lastIndexOf(".");
  const path = join(directory, handler.slice(0, dot));
  const extension = [".js", ".mjs", ".cjs"].find((candidate) => existsSync(path + candidate));
  if (!extension)
    throw named("Runtime.ImportModuleError", `Cannot find module '${handler.slice(0, dot)}' in ${directory}`);
  const esModule = extension === ".mjs" || (extension === ".js" && isEsModule(directory));
  const exported = esModule ? await import(pathToFileURL(path + extension).href) : requireFile(path + extension);
  let found: unknown = exported;
  for (const name of handler.slice(dot + 1).split(".")) found = (found as Record<string, unknown> | undefined)?.[name];
  if (typeof found !== "function") throw named("Runtime.HandlerNotFound", `${handler} is undefined or not exported`);
  return found;
}

function isEsModule(directory: string): boolean {
  const file = join(directory, "package.json");
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).type === "module";
}

function requireFile(file: string): unknown {
  const module = new Module(file) as Module & { _compile(source: string, file: string): void };
  module.filename = file;
  module.paths = [];
  module._compile(readFileSync(file, "utf8"), file);
  return module.exports;
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
