import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { readCodeBlocks } from "#test/support/code-blocks.ts";
import packageJson from "../../package.json" with { type: "json" };

const run = promisify(execFile);

/** Folder outside of the repository, in which nothing but the package and its dependency is installed. */
let directory = "";
const installed = () => join(directory, "node_modules/@switchboard/client");

/** Packages that the client depends on, and the dependency of `openapi-fetch`. */
const dependencies = ["eventsource-parser", "openapi-fetch", "openapi-typescript-helpers"];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "client-package-"));
  await run(process.execPath, ["infra/commands/packages.ts", "client", join(directory, "build")]);
  const { stdout } = await run("npm", ["pack", join(directory, "build"), "--pack-destination", directory, "--silent"]);
  await mkdir(installed(), { recursive: true });
  await run("tar", ["-xzf", join(directory, stdout.trim()), "-C", installed(), "--strip-components", "1"]);
  for (const name of dependencies) {
    await cp(resolve("node_modules", name), join(directory, "node_modules", name), { recursive: true });
  }
  await writeFile(join(directory, "package.json"), JSON.stringify({ type: "module" }));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Compiles the TypeScript files of the folder, including all declarations, and returns the errors. */
async function compile(module: "nodenext" | "preserve"): Promise<string> {
  const config = {
    compilerOptions: {
      target: "es2023",
      lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
      types: [],
      module,
      strict: true,
      noEmit: true,
      skipLibCheck: false,
    },
    include: ["*.ts"],
  };
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify(config));
  const compiler = resolve("node_modules/typescript/lib/tsc.js");
  const { stdout } = await run(process.execPath, [compiler, "-p", directory]).catch((error) => error);
  return stdout;
}

/** Uses of the types that the compiler must accept, and misuses that it must report. */
const typeUses = `
  import { createSwitchboard, isProblem, type ChatEvent, type EntryOf, type Problem, type ReplyOf } from "@switchboard/client";

  type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
  const switchboard = createSwitchboard({ baseUrl: "https://assistant.example.com" });
  export const title: Equal<ReplyOf<"/v1/conversations", "post">["title"], string> = true;
  export const access: Equal<EntryOf<"/v1/conversations">["access"], "owner" | "READ" | "WRITE"> = true;
  export const textOf = (event: ChatEvent): string => 
    event.type === "assistant_message" && !event.data.final ? event.data.content : event.id;
  export const isLimited = (error: unknown): boolean => isProblem(error, "rate_limited") && error.status === 429;
  export const codeOf = ({ code }: Problem): "not_found" | null => (code === "not_found" ? code : null);

  // The client adds the required idempotency key.
  const params = { path: { id: "c-1" } };
  void switchboard.POST("/v1/chat/{id}/share", { params, body: { user_id: "grace", permission: "READ" } });
  // @ts-expect-error The permission is not one of the contract's.
  void switchboard.POST("/v1/chat/{id}/share", { params, body: { user_id: "grace", permission: "OWN" } });
  // @ts-expect-error The path does not exist.
  void switchboard.GET("/v1/conversation");
  // @ts-expect-error The limit is a number.
  void switchboard.GET("/v1/conversations", { params: { query: { limit: "5" } } });
  // @ts-expect-error The event does not exist.
  export const isPing = (event: ChatEvent) => event.type === "ping";
  // @ts-expect-error The code does not exist.
  export const isLost = (error: unknown) => isProblem(error, "lost");
`;

it("npm package @switchboard/client contains modules, type declarations, package.json and README, and depends on eventsource-parser and openapi-fetch only", async () => {
  const files = (await readdir(installed())).sort();
  const modules = files.filter((file) => file.endsWith(".js")).map((file) => file.replace(/\.js$/, ""));
  expect(modules).toContain("index");
  const declarations = modules.map((name) => `${name}.d.ts`);
  expect(files).toEqual([...declarations, ...modules.map((name) => `${name}.js`), "README.md", "package.json"].sort());
  expect(JSON.parse(await readFile(join(installed(), "package.json"), "utf8"))).toMatchObject({
    name: "@switchboard/client",
    version: packageJson.version,
    type: "module",
    dependencies: {
      "eventsource-parser": `^${packageJson.dependencies["eventsource-parser"]}`,
      "openapi-fetch": `^${packageJson.dependencies["openapi-fetch"]}`,
    },
  });
});

it("npm package @switchboard/client can chat and read lists when imported from a plain ES module", async () => {
  const script = `
      import { createSwitchboard, isProblem } from "@switchboard/client";
      const switchboard = createSwitchboard({ baseUrl: ${JSON.stringify(inject("baseUrl"))} });
      const { id } = await switchboard.POST("/v1/conversations", { body: { title: "Packed" } });
      const types = [];
      for await (const { type } of switchboard.chat({ conversation_id: id, content: "What can you do?" })) types.push(type);
      const titles = [];
      for await (const { title } of switchboard.list("/v1/conversations")) titles.push(title);
      const code = await switchboard.GET("/v1/notes/{id}", { params: { path: { id: "missing" } } }).catch(
        (error) => isProblem(error) && error.code,
      );
      console.log(JSON.stringify({ first: types[0], last: types.at(-1), isListed: titles.includes("Packed"), code }));
    `;
  await writeFile(join(directory, "main.mjs"), script);
  const { stdout } = await run(process.execPath, ["main.mjs"], { cwd: directory });
  expect(JSON.parse(stdout)).toEqual({ first: "metadata", last: "done", isListed: true, code: "not_found" });
});

it.each(["nodenext", "preserve"] as const)(
  "npm package @switchboard/client provides types when the TypeScript option module is %s",
  async (module) => {
    const declarations =
      "declare const process: { env: Record<string, string>; stdout: { write(text: string): void } };";
    await writeFile(join(directory, "types.ts"), typeUses);
    for (const { code, line } of await readCodeBlocks(join(installed(), "README.md"))) {
      await writeFile(join(directory, `readme-${line}.ts`), `${declarations}\n${code}`);
    }
    expect(await compile(module)).toBe("");
  },
);

it.each(["sync", "evaluate"])("package @switchboard/%s runs with nothing but its dependencies", async (name) => {
  const target = join(directory, "node_modules/@switchboard", name);
  await run(process.execPath, ["infra/commands/packages.ts", name, target]);
  const { stdout } = await run(process.execPath, [join(target, "main.js"), "--help"]);
  expect(stdout).toContain(`Usage: switchboard-${name}`);
});
