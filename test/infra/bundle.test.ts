import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bundleFunctions } from "../../infra/bundle/bundle.ts";
import { bundleInThread } from "../../infra/bundle/bundle-in-thread.ts";
import { bundleOf, type FunctionCode, planFunctions, planSite } from "../../infra/bundle/bundle-plan.ts";
import { requireHandlers } from "../../infra/bundle/entry-points.ts";
import type { CodeForm } from "../../infra/bundle/function-groups.ts";
import { SynthesisError } from "../../infra/synthesis-error.ts";
import { createRoute } from "./synthesize.ts";

const routes = [createRoute({ id: "getThing" }), createRoute({ id: "followThing", streaming: true })];
let root: string;

function writeSource(file: string, content: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
}

const handlerReturning = (word: string) => `export const handler = async (): Promise<string> => "${word}";`;
const run = ({ directory, handler }: FunctionCode) =>
  createRequire(import.meta.url)(join(directory, "index.cjs"))[handler.replace("index.", "")]();
const bundle = (form: CodeForm = "minified") => bundleFunctions(planFunctions(root, form));
const listBundles = () => readdirSync(join(root, "dist"));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "switchboard-bundle-"));
  writeSource("package-lock.json", "{}");
  writeSource("shared/word.ts", `export const word = "shared";`);
  writeSource(
    "functions/api/things/things.ts",
    `import { word } from "../../../shared/word.ts";
import { other } from "../../../shared/other.ts";
export const deleteThingHandler = create(async () => other);
export const getThingHandler = async () => word;`,
  );
  writeSource("package.json", `{ "sideEffects": [] }`);
  writeSource("shared/other.ts", `throw new Error("was loaded");\nexport const other = 1;`);
  writeSource("functions/streaming/follow-thing.ts", handlerReturning("follow"));
  writeSource("functions/api/platform/open.ts", handlerReturning("nothing").replace("handler", "routeNotFoundHandler"));
  writeSource("functions/authorizers/jwt.ts", handlerReturning("who"));
  writeSource("functions/changes/cascade/index.ts", handlerReturning("change"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

it("bundleFunctions() bundles every entry point into a directory of its own, without the code of others in its file", async () => {
  const { codeOf, processors } = await bundle();
  expect(processors).toEqual(["functions/changes/cascade/index.ts"]);
  expect(await run(codeOf("getThingHandler"))).toBe("shared");
  expect(await run(codeOf("functions/streaming/follow-thing.ts"))).toBe("follow");
  expect(await run(codeOf("functions/authorizers/jwt.ts"))).toBe("who");
  expect(await run(codeOf("functions/changes/cascade/index.ts"))).toBe("change");
  expect(readdirSync(codeOf("routeNotFoundHandler").directory)).toEqual(["index.cjs"]);
});

it("bundleFunctions() bundles the functions of a folder together for the local runner, and loads only the one that is called", async () => {
  writeSource("functions/api/things/broken.ts", `throw new Error("was loaded");\nexport const breakThingHandler = 1;`);
  writeSource("functions/jobs/process-file.ts", `export const handler = async () => import.meta.filename;`);
  writeSource("functions/jobs/run-import.ts", handlerReturning("import"));
  writeSource("functions/jobs/build-export.ts", handlerReturning("export"));
  const { codeOf } = await bundle("grouped");
  const others = { "changes/cascade/index": "change", "jobs/run-import": "import", "jobs/build-export": "export" };
  for (const [path, word] of Object.entries({ "authorizers/jwt": "who", ...others })) {
    expect(await run(codeOf(`functions/${path}.ts`))).toBe(word);
  }
  expect(await run(codeOf("routeNotFoundHandler"))).toBe("nothing");
  const code = codeOf("getThingHandler");
  expect(codeOf("breakThingHandler")).toMatchObject({ directory: code.directory, hash: code.hash });
  expect(codeOf("functions/jobs/run-import.ts").hash).not.toBe(code.hash);
  const processFile = codeOf("functions/jobs/process-file.ts");
  expect(await run(processFile)).toBe(join(processFile.directory, "index.cjs"));
  expect(processFile.directory).not.toBe(codeOf("functions/jobs/run-import.ts").directory);
});

it("bundleInThread() fills directories that exist at once, and reports errors of the functions and of the site", async () => {
  const plan = () => ({ functions: planFunctions(root, "grouped"), site: planSite(root, "{}") });
  const { functions, bundleSite } = bundleInThread(plan());
  const code = bundleOf(plan().functions).codeOf("functions/authorizers/jwt.ts");
  expect(readdirSync(code.directory)).toEqual([]);
  await functions;
  expect(await run(code)).toBe("who");
  // The site has no sources here.
  await expect(bundleSite()).rejects.toThrow("Bundling the site failed");

  writeSource("functions/authorizers/jwt.ts", "export const handler = ;");
  const failed = bundleInThread(plan()).functions;
  await expect(failed).rejects.toThrow(/Bundling the functions failed.*functions\/authorizers\/jwt.ts/s);
  await expect(failed).rejects.toBeInstanceOf(SynthesisError);
});

it("bundleFunctions() copies a model provider's npm package into the bundles of functions that import it", async () => {
  const modules = join(import.meta.dirname, "../../node_modules");
  symlinkSync(modules, join(root, "node_modules"));
  writeSource(
    "functions/streaming/follow-thing.ts",
    `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
     export const handler = async () => createOpenAICompatible({ name: "test", baseURL: "http://localhost" })("m").modelId;`,
  );
  const { codeOf } = await bundle();
  const code = codeOf("functions/streaming/follow-thing.ts");
  expect(readdirSync(code.directory).sort()).toEqual(["index.cjs", "openai-compatible.cjs"]);
  expect(await run(code)).toBe("m");
  expect(readdirSync(codeOf("functions/authorizers/jwt.ts").directory)).toEqual(["index.cjs"]);
});

it("bundleFunctions() rebuilds only when a source file has changed", async () => {
  const first = await bundle();
  const file = join(first.codeOf("functions/authorizers/jwt.ts").directory, "index.cjs");
  const builtAtMs = statSync(file).mtimeMs;
  await bundle();
  expect(statSync(file).mtimeMs).toBe(builtAtMs);
  writeSource("shared/word.ts", `export const word = "changed";`);
  const { codeOf } = await bundle();
  expect(await run(codeOf("getThingHandler"))).toBe("changed");
  expect(listBundles()).toHaveLength(2);
});

it("bundleFunctions() produces one complete bundle when called four times concurrently", async () => {
  const bundles = await Promise.all(Array.from({ length: 4 }, () => bundle()));
  expect(listBundles()).toHaveLength(1);
  for (const { codeOf } of bundles) expect(await run(codeOf("functions/authorizers/jwt.ts"))).toBe("who");
});

it("bundleFunctions() deletes all but the latest sixteen bundles", async () => {
  for (let version = 0; version < 18; version++) {
    writeSource("shared/word.ts", `export const word = "${version}";`);
    await bundle();
  }
  expect(listBundles()).toHaveLength(16);
});

it("requireHandlers() throws an error for a route without a handler", () => {
  const routesWithMissingHandler = [...routes, createRoute({ id: "removeThing", method: "DELETE" })];
  expect(() => requireHandlers(routesWithMissingHandler, root)).toThrow(
    "Routes without a handler in functions:\n  removeThing (DELETE /v1/things): removeThingHandler",
  );
});

it("bundleFunctions() reports compile errors and leaves no partial bundle", async () => {
  writeSource("functions/authorizers/jwt.ts", "export const handler = ;");
  await expect(bundle()).rejects.toThrow(/Bundling the functions failed.*\n.*\n?.*functions\/authorizers\/jwt.ts/);
  expect(listBundles()).toEqual([]);
});
