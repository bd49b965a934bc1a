import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { listEntryPoints } from "../../infra/bundle/entry-points.ts";
import { findInvalidSubjects, listSubjects } from "../../infra/checks/commits.ts";
import { proseFindings } from "../../infra/checks/prose.ts";
import { notFoundEntryPoint } from "../../infra/naming.ts";

const MAX_LINES = 250;
const MAX_FILES_IN_FOLDER = 25;

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && existsSync(file));

const shared = files.filter((file) => /^shared\/.*\.ts$/.test(file));
const readLines = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n");

/** Casts of a stored row to an entity, which `itemReader` replaces. */
const rowCast = /\b(?:item|items|row|found|existing|winner|entries|image)\b[^;\n]{0,20}\bas unknown as\b/;

/** Returns the names of the values and types that a file declares and exports, without its default export. */
function listExports(file: string): string[] {
  const { staticExports } = parseSync(file, readFileSync(file, "utf8")).module;
  const entries = staticExports.flatMap((statement) => statement.entries).filter((entry) => !entry.moduleRequest);
  return [...new Set(entries.flatMap(({ exportName }) => exportName.name ?? []))];
}

it(`repository has no file in shared with more than ${MAX_LINES} lines`, () => {
  const sizes = shared.map((file) => [file, readLines(file).length] as const).sort(([, a], [, b]) => b - a);
  console.log(`longest file in shared: ${sizes[0]?.join(", ")} lines`);
  expect(sizes.filter(([, lines]) => lines > MAX_LINES)).toEqual([]);
});

it(`repository has no folder with more than ${MAX_FILES_IN_FOLDER} files of its own`, () => {
  // Decisions are numbered pages that are never removed.
  const code = files.filter((file) => /^(shared|functions|infra(?!\/decisions)|test)\//.test(file));
  const counts = [...Map.groupBy(code, dirname)].map(([folder, group]) => [folder, group.length] as const);
  const sorted = counts.sort(([, a], [, b]) => b - a);
  console.log(`largest folder: ${sorted[0]?.join(", ")} files`);
  expect(sorted.filter(([, count]) => count > MAX_FILES_IN_FOLDER)).toEqual([]);
});

it("contracts export every route under its operation id with the suffix Route", async () => {
  const modules = await Promise.all(
    shared.filter((file) => file.startsWith("shared/api/")).map((file) => import(/* @vite-ignore */ `../../${file}`)),
  );
  const routeNames = modules
    .flatMap((module) => Object.entries<Partial<Route> | undefined>(module))
    .filter(([, value]) => value?.path && value.replies)
    .map(([name, route]) => [name, `${route?.id}Route`] as const);
  expect(routeNames.length).toBe(routes.length);
  expect(routeNames.filter(([name, expected]) => name !== expected)).toEqual([]);
});

it("handler of each operation is in the file of functions/api with the path of its contract", () => {
  const operations = listEntryPoints(".").all.filter(({ file }) => file.startsWith("functions/api/"));
  console.log(`handlers of operations: ${operations.length}`);
  const misplaced = operations.filter(({ file, exportName }) => {
    const route = exportName.replace(/Handler$/, "Route");
    return exportName !== notFoundEntryPoint && !listExports(file.replace("functions/", "shared/")).includes(route);
  });
  expect(misplaced).toEqual([]);
});

it("modules of functions are not imported for their side effects alone, because bundles leave them out", () => {
  const bareImport = /^import\s+["']/m;
  expect(bareImport.test('import "#shared/lib/log.ts";')).toBe(true);
  const code = files.filter((file) => /^(shared|functions(?!\/web))\/.*\.ts$/.test(file));
  expect(code.filter((file) => bareImport.test(readFileSync(file, "utf8")))).toEqual([]);
});

it("repository declares each exported name in one file, except the handler of Lambda", () => {
  // Type declarations of the widget's package describe code that is declared elsewhere.
  const code = files.filter((file) => /^(shared|functions|infra)\/.*(?<!\.d)\.tsx?$/.test(file));
  const declarations = code.flatMap((file) => listExports(file).map((name) => ({ name, file })));
  const homes = Map.groupBy(declarations, ({ name }) => name);
  console.log(`exported names: ${homes.size}`);
  const several = [...homes].filter(([name, found]) => found.length > 1 && name !== "handler");
  expect(several.map(([name, found]) => [name, ...found.map(({ file }) => file)])).toEqual([]);
});

it("comments name only rules of stream processors that exist", () => {
  const processors = files
    .filter((file) => /^functions\/changes\/.*\.ts$/.test(file))
    .map((file) => readFileSync(file, "utf8"));
  const ids = new Set(
    processors.flatMap((source) => [...source.matchAll(/^ +id: "([\w-]+)",$/gm)].map(([, id]) => id)),
  );
  const named = [...shared, ...files.filter((file) => /^functions\/.*\.ts$/.test(file))].flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\brule[\s*]+`([^`]+)`/g)].map(([, id]) => `${file}: ${id}`),
  );
  console.log(`comments that name a rule: ${named.length}`);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !ids.has(name.split(": ")[1]))).toEqual([]);
});

it("linter of prose reports banned wording and misplaced tags", () => {
  // In parts, so that this file does not contain the wording itself.
  const [opener, pronoun, adverb, adjective] = ["Wh at", "no body", "mean while", "de ar"].map((parts) =>
    parts.replace(" ", ""),
  );
  const source = `/** ${opener} it does. */\nconst a = 1; // ${pronoun} knows.\nit("does so ${adverb}", () => {});\n`;
  expect(proseFindings("x.ts", source).map(({ line }) => line)).toEqual([1, 2, 3]);
  expect(
    proseFindings("x.ts", "/**\n * Text.\n * @see RFC 1\n */\n/** Text. @see RFC 1 */\n/**\n * @see\n * RFC 1\n */"),
  ).toHaveLength(2);
  expect(proseFindings("x.md", `A ${adjective} \`${pronoun}\` friend.\n`)).toHaveLength(1);
});

it("commit subjects of the repository are in the format of Conventional Commits", () => {
  const subjects = listSubjects();
  console.log(`commit subjects since the convention: ${subjects.length}`);
  expect(findInvalidSubjects(subjects)).toEqual([]);
  expect(findInvalidSubjects(["Fix it", "feat(api): add x", `fix: ${"x".repeat(73)}`])).toHaveLength(2);
});

it("repository has no type cast of an item that was read from the table", () => {
  expect(rowCast.test("const roleOf = (item: Item) => item as unknown as Role;")).toBe(true);
  const casts = shared.flatMap((file) => readLines(file).filter((line) => rowCast.test(line)));
  console.log(`casts of rows: ${casts.length}`);
  expect(casts).toEqual([]);
});

it("repository has no condition of DynamoDB that is written outside the table port", () => {
  const rawCondition = /attribute_(?:not_)?exists|ConditionExpression|[#.]\w+ (?:=|<>|[<>]=?) :\w/;
  expect(rawCondition.test('where: "#status = :status"')).toBe(true);
  // The local runner reads the requests of functions, whose conditions the table port has written.
  const code = files.filter((file) => /^(shared(?!\/dynamodb)|functions|infra(?!\/local))\/.*\.tsx?$/.test(file));
  const written = code.filter((file) => rawCondition.test(readFileSync(file, "utf8")));
  expect(written).toEqual([]);
});
