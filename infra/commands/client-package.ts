/** Entry point of `npm run build:client [<directory>]`: writes the package `@switchboard/client`, by default to `dist/client`. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import clientPackageJson from "../../shared/client/package.json" with { type: "json" };
import { serviceDocument } from "../../shared/openapi/service-document.ts";
import { generateTypes } from "./openapi-types.ts";

const run = promisify(execFile);

/** Replaces `shared/client/paths.ts`, whose types are inferred from contracts that the package does not contain. */
const generatedPaths = `import type { components, paths } from "./openapi.ts";

/** Paths of the service. */
export type Paths = paths;

/** RFC 9457 problem, the body of every error response outside of the OpenAI-compatible API. */
export type Problem = components["schemas"]["Problem"];

export type ProblemCode = Problem["code"];

/** Message to send. */
export type ChatRequest = paths["/v1/runtime/chat"]["post"]["requestBody"]["content"]["application/json"];

type ReplyEvent = Extract<components["schemas"]["ChatEvent"], { id: string }>;

/** Data of the events of a reply by event name. */
export type ChatPayloads = { [Event in ReplyEvent as Event["event"]]: Event["data"] };
`;

/** Modules that are not published: only the console and the widget use them. */
const unpublished: ReadonlySet<string> = new Set(["is-composing.ts", "pasted-files.ts"]);

const compilerOptions = {
  target: "es2023",
  lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
  types: [],
  noEmit: false,
  declaration: true,
  rewriteRelativeImportExtensions: true,
  rootDir: ".",
};

/** Returns a copy of the OpenAPI document in which the header `Idempotency-Key` is optional, because the client adds it. */
function withOptionalKeys({ paths, ...document }: typeof serviceDocument) {
  const entries = Object.entries(paths).map(([path, operations]) => {
    const changed = Object.entries(operations).map(([method, operation]) => {
      const parameters = operation.parameters.map((parameter) =>
        parameter.name === "Idempotency-Key" ? { ...parameter, required: false } : parameter,
      );
      return [method, { ...operation, parameters }];
    });
    return [path, Object.fromEntries(changed)];
  });
  return { ...document, paths: Object.fromEntries(entries) };
}

/**
 * Compiles the typed client to ES modules with declarations that need no packages except `openapi-fetch` and `eventsource-parser`.
 * @param target directory of the package, which is replaced
 * @throws Error with the compiler's messages when the client does not compile with the generated types
 */
async function buildClientPackage(target: string): Promise<void> {
  const source = resolve("shared/client");
  // The compiler resolves packages from the directory of the sources, so they must be inside of the repository.
  const draft = resolve("dist", `draft-${randomUUID()}`);
  try {
    await mkdir(draft, { recursive: true });
    const files = (await readdir(source)).filter((file) => file.endsWith(".ts") && !unpublished.has(file));
    await Promise.all(files.map((file) => cp(join(source, file), join(draft, file))));
    await writeFile(join(draft, "paths.ts"), generatedPaths);
    await writeFile(join(draft, "openapi.ts"), await generateTypes(withOptionalKeys(serviceDocument)));
    const config = { extends: resolve("tsconfig.json"), compilerOptions, include: ["*.ts"], exclude: [] };
    await writeFile(join(draft, "package.json"), JSON.stringify({ type: "module" }));
    await writeFile(join(draft, "tsconfig.json"), JSON.stringify(config));
    await rm(target, { recursive: true, force: true });
    const compiler = resolve("node_modules/typescript/lib/tsc.js");
    await run(process.execPath, [compiler, "-p", draft, "--outDir", target]).catch(({ stdout, message }) => {
      throw new Error(`The client does not compile.\n${stdout || message}`);
    });
    const manifest = {
      ...clientPackageJson,
      version: packageJson.version,
      dependencies: Object.fromEntries(
        (["eventsource-parser", "openapi-fetch"] as const).map((name) => [name, `^${packageJson.dependencies[name]}`]),
      ),
    };
    await writeFile(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    await writeFile(join(target, "README.md"), await readFile(join(source, "README.md")));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const target = process.argv[2] ?? "dist/client";
  await buildClientPackage(resolve(target));
  console.log(`The package is in ${target}. npm publish ./${target} publishes it.`);
}
