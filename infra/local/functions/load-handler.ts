import { existsSync, readFileSync } from "node:fs";
import { Module } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Loads the export `file.export` from a function's directory by the rules of Lambda's runtime: it tries `.js`, `.mjs`, then
 * `.cjs`. A `.js` file is CommonJS unless the `package.json` in the same directory says otherwise. Node would also search
 * parent directories, which are not deployed.
 * @see https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/blob/main/src/UserFunction.js
 */
export async function loadHandler(directory: string, handler: string): Promise<unknown> {
  const dot = handler.lastIndexOf(".");
  const path = join(directory, handler.slice(0, dot));
  const extension = [".js", ".mjs", ".cjs"].find((candidate) => existsSync(path + candidate));
  if (!extension) {
    throw namedError("Runtime.ImportModuleError", `Cannot find module '${handler.slice(0, dot)}' in ${directory}`);
  }
  const esModule = extension === ".mjs" || (extension === ".js" && isEsModule(directory));
  const exported = esModule ? await import(pathToFileURL(path + extension).href) : requireFile(path + extension);
  let member: unknown = exported;
  for (const name of handler.slice(dot + 1).split("."))
    member = (member as Record<string, unknown> | undefined)?.[name];
  if (typeof member !== "function") {
    throw namedError("Runtime.HandlerNotFound", `${handler} is undefined or not exported`);
  }
  return member;
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

function namedError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
