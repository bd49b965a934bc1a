import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bundleFunctions } from "../../infra/bundle.ts";
import { aRoute } from "./synthesise.ts";

const routes = [aRoute({ id: "getThing" }), aRoute({ id: "followThing", streaming: true })];
let root: string;

function write(file: string, content: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
}

const handlerSaying = (word: string) => `export const handler = async (): Promise<string> => "${word}";`;
const run = (directory: string) => createRequire(import.meta.url)(join(directory, "index.cjs")).handler();
const states = () => readdirSync(join(root, "dist"));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "switchboard-bundle-"));
  write("package-lock.json", "{}");
  write("shared/word.ts", `export const word = "shared";`);
  write(
    "functions/api/things/get-thing.ts",
    `import { word } from "../../../shared/word.ts";\n${"export const handler = async () => word;"}`,
  );
  write("functions/streaming/follow-thing.ts", handlerSaying("follow"));
  write("functions/api/open/route-not-found.ts", handlerSaying("nothing"));
  write("functions/authorizers/jwt.ts", handlerSaying("who"));
  write("functions/changes/cascade/index.ts", handlerSaying("change"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

it("bundles every entry point into a directory of its own", async () => {
  const { directoryOf, processors } = await bundleFunctions(routes, root);
  expect(processors).toEqual(["functions/changes/cascade/index.ts"]);
  expect(await run(directoryOf("functions/api/things/get-thing.ts"))).toBe("shared");
  expect(await run(directoryOf("functions/streaming/follow-thing.ts"))).toBe("follow");
  expect(await run(directoryOf("functions/authorizers/jwt.ts"))).toBe("who");
  expect(await run(directoryOf("functions/changes/cascade/index.ts"))).toBe("change");
  expect(readdirSync(directoryOf("functions/api/open/route-not-found.ts"))).toEqual(["index.cjs"]);
});

it("does so once for the same sources, and anew when one of them changes", async () => {
  const first = await bundleFunctions(routes, root);
  const file = join(first.directoryOf("functions/authorizers/jwt.ts"), "index.cjs");
  const made = statSync(file).mtimeMs;
  await bundleFunctions(routes, root);
  expect(statSync(file).mtimeMs).toBe(made);
  write("shared/word.ts", `export const word = "changed";`);
  const { directoryOf } = await bundleFunctions(routes, root);
  expect(await run(directoryOf("functions/api/things/get-thing.ts"))).toBe("changed");
  expect(states()).toHaveLength(2);
});

it("can be done by several at the same time", async () => {
  const bundles = await Promise.all(Array.from({ length: 4 }, () => bundleFunctions(routes, root)));
  expect(states()).toHaveLength(1);
  for (const { directoryOf } of bundles) expect(existsSync(directoryOf("functions/authorizers/jwt.ts"))).toBe(true);
});

it("keeps the last few states only", async () => {
  for (let state = 0; state < 10; state++) {
    write("shared/word.ts", `export const word = "${state}";`);
    await bundleFunctions(routes, root);
  }
  expect(states()).toHaveLength(8);
});

it("names the routes that have no handler, and where it is expected", async () => {
  const wanting = [...routes, aRoute({ id: "deleteThing", method: "DELETE" })];
  await expect(bundleFunctions(wanting, root)).rejects.toThrow(
    "Routes without a handler file:\n  deleteThing (DELETE /v1/things): functions/api/things/delete-thing.ts",
  );
});

it("says what does not compile, and leaves nothing half done", async () => {
  write("functions/authorizers/jwt.ts", "export const handler = ;");
  await expect(bundleFunctions(routes, root)).rejects.toThrow(
    /Bundling the functions failed.*\n.*\n?.*functions\/authorizers\/jwt.ts/,
  );
  expect(states()).toEqual([]);
});
