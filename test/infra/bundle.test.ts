import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bundleFunctions } from "../../infra/bundle/bundle.ts";
import { createRoute } from "./synthesize.ts";

const routes = [createRoute({ id: "getThing" }), createRoute({ id: "followThing", streaming: true })];
let root: string;

function writeSource(file: string, content: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
}

const handlerReturning = (word: string) => `export const handler = async (): Promise<string> => "${word}";`;
const run = (directory: string) => createRequire(import.meta.url)(join(directory, "index.cjs")).handler();
const listBundles = () => readdirSync(join(root, "dist"));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "switchboard-bundle-"));
  writeSource("package-lock.json", "{}");
  writeSource("shared/word.ts", `export const word = "shared";`);
  writeSource(
    "functions/api/things/get-thing.ts",
    `import { word } from "../../../shared/word.ts";\n${"export const handler = async () => word;"}`,
  );
  writeSource("functions/streaming/follow-thing.ts", handlerReturning("follow"));
  writeSource("functions/api/open/route-not-found.ts", handlerReturning("nothing"));
  writeSource("functions/authorizers/jwt.ts", handlerReturning("who"));
  writeSource("functions/changes/cascade/index.ts", handlerReturning("change"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

it("bundleFunctions() bundles every entry point into a directory of its own", async () => {
  const { directoryOf, processors } = await bundleFunctions(routes, root);
  expect(processors).toEqual(["functions/changes/cascade/index.ts"]);
  expect(await run(directoryOf("functions/api/things/get-thing.ts"))).toBe("shared");
  expect(await run(directoryOf("functions/streaming/follow-thing.ts"))).toBe("follow");
  expect(await run(directoryOf("functions/authorizers/jwt.ts"))).toBe("who");
  expect(await run(directoryOf("functions/changes/cascade/index.ts"))).toBe("change");
  expect(readdirSync(directoryOf("functions/api/open/route-not-found.ts"))).toEqual(["index.cjs"]);
});

it("bundleFunctions() copies a model provider's npm package into the bundles of functions that import it", async () => {
  const modules = join(import.meta.dirname, "../../node_modules");
  symlinkSync(modules, join(root, "node_modules"));
  writeSource(
    "functions/streaming/follow-thing.ts",
    `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
     export const handler = async () => createOpenAICompatible({ name: "test", baseURL: "http://localhost" })("m").modelId;`,
  );
  const { directoryOf } = await bundleFunctions(routes, root);
  const directory = directoryOf("functions/streaming/follow-thing.ts");
  expect(readdirSync(directory).sort()).toEqual(["index.cjs", "openai-compatible.cjs"]);
  expect(await run(directory)).toBe("m");
  expect(readdirSync(directoryOf("functions/authorizers/jwt.ts"))).toEqual(["index.cjs"]);
});

it("bundleFunctions() rebuilds only when a source file has changed", async () => {
  const first = await bundleFunctions(routes, root);
  const file = join(first.directoryOf("functions/authorizers/jwt.ts"), "index.cjs");
  const builtAtMs = statSync(file).mtimeMs;
  await bundleFunctions(routes, root);
  expect(statSync(file).mtimeMs).toBe(builtAtMs);
  writeSource("shared/word.ts", `export const word = "changed";`);
  const { directoryOf } = await bundleFunctions(routes, root);
  expect(await run(directoryOf("functions/api/things/get-thing.ts"))).toBe("changed");
  expect(listBundles()).toHaveLength(2);
});

it("bundleFunctions() produces one complete bundle when called four times concurrently", async () => {
  const bundles = await Promise.all(Array.from({ length: 4 }, () => bundleFunctions(routes, root)));
  expect(listBundles()).toHaveLength(1);
  for (const { directoryOf } of bundles) expect(existsSync(directoryOf("functions/authorizers/jwt.ts"))).toBe(true);
});

it("bundleFunctions() deletes all but the latest sixteen bundles", async () => {
  for (let version = 0; version < 18; version++) {
    writeSource("shared/word.ts", `export const word = "${version}";`);
    await bundleFunctions(routes, root);
  }
  expect(listBundles()).toHaveLength(16);
});

it("bundleFunctions() throws an error for a route without a handler file", async () => {
  const routesWithMissingHandler = [...routes, createRoute({ id: "deleteThing", method: "DELETE" })];
  await expect(bundleFunctions(routesWithMissingHandler, root)).rejects.toThrow(
    "Routes without a handler file:\n  deleteThing (DELETE /v1/things): functions/api/things/delete-thing.ts",
  );
});

it("bundleFunctions() reports compile errors and leaves no partial bundle", async () => {
  writeSource("functions/authorizers/jwt.ts", "export const handler = ;");
  await expect(bundleFunctions(routes, root)).rejects.toThrow(
    /Bundling the functions failed.*\n.*\n?.*functions\/authorizers\/jwt.ts/,
  );
  expect(listBundles()).toEqual([]);
});
