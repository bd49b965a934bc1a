/** Entry point of `npm run build:client [<directory>]`, `build:sync` and `build:evaluate`: writes the package, by default to `dist/client` and so on. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import clientPackageJson from "../../shared/client/package.json" with { type: "json" };
import { serviceDocument } from "../../shared/openapi/service-document.ts";
import evaluatePackageJson from "../evaluate/package.json" with { type: "json" };
import syncPackageJson from "../sync/package.json" with { type: "json" };
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

/** Published package: its manifest, its sources besides the client, and where the client is in it. */
interface PublishedPackage {
  readonly manifest: object;
  readonly folder: string;
  readonly clientFolder: string;
  /** Packages with types of globals that the sources use. */
  readonly types: readonly string[];
}

const published = {
  client: { manifest: clientPackageJson, folder: "shared/client", clientFolder: ".", types: [] },
  evaluate: { manifest: evaluatePackageJson, folder: "infra/evaluate", clientFolder: "client", types: ["node"] },
  sync: { manifest: syncPackageJson, folder: "infra/sync", clientFolder: "client", types: ["node"] },
} as const satisfies Readonly<Record<string, PublishedPackage>>;

const readme = "README.md";

/** Copies TypeScript files, with their imports of the client changed to its folder in the package. */
async function copySources(source: string, target: string, clientFolder: string): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const file of await readdir(source, { recursive: true })) {
    if (!file.endsWith(".ts") || unpublished.has(file)) continue;
    const text = await readFile(join(source, file), "utf8");
    await mkdir(dirname(join(target, file)), { recursive: true });
    await writeFile(join(target, file), text.replaceAll("../../shared/client/", `./${clientFolder}/`));
  }
}

/**
 * Compiles a package to ES modules with declarations. It contains the typed client, which needs no packages except `openapi-fetch` and
 * `eventsource-parser`.
 * @param target directory of the package, which is replaced
 * @throws Error with the compiler's messages when the sources do not compile with the generated types
 */
async function buildPackage(
  { manifest, folder, clientFolder, types }: PublishedPackage,
  target: string,
): Promise<void> {
  // The compiler resolves packages from the directory of the sources, so they must be inside of the repository.
  const draft = resolve("dist", `draft-${randomUUID()}`);
  try {
    const client = join(draft, clientFolder);
    await copySources(resolve("shared/client"), client, clientFolder);
    await writeFile(join(client, "paths.ts"), generatedPaths);
    await writeFile(join(client, "openapi.ts"), await generateTypes(withOptionalKeys(serviceDocument)));
    if (clientFolder !== ".") await copySources(resolve(folder), draft, clientFolder);
    const options = { ...compilerOptions, types };
    const config = { extends: resolve("tsconfig.json"), compilerOptions: options, include: ["**/*.ts"], exclude: [] };
    await writeFile(join(draft, "package.json"), JSON.stringify({ type: "module" }));
    await writeFile(join(draft, "tsconfig.json"), JSON.stringify(config));
    await rm(target, { recursive: true, force: true });
    const compiler = resolve("node_modules/typescript/lib/tsc.js");
    await run(process.execPath, [compiler, "-p", draft, "--outDir", target]).catch(({ stdout, message }) => {
      throw new Error(`The package does not compile.\n${stdout || message}`);
    });
    const dependencies = Object.fromEntries(
      (["eventsource-parser", "openapi-fetch"] as const).map((name) => [name, `^${packageJson.dependencies[name]}`]),
    );
    const complete = { ...manifest, version: packageJson.version, dependencies };
    await writeFile(join(target, "package.json"), `${JSON.stringify(complete, null, 2)}\n`);
    await writeFile(join(target, readme), await readFile(resolve(folder, readme)));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [, , name = "", target = join("dist", name)] = process.argv;
  if (!Object.hasOwn(published, name)) throw new Error(`There is no package "${name}".`);
  await buildPackage(published[name as keyof typeof published], resolve(target));
  console.log(`The package is in ${target}. npm publish ./${target} publishes it.`);
}
