import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

/** An import of one file, resolved to a path in the repository or left as a package's name. */
interface Import {
  readonly file: string;
  readonly target: string;
}

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(file));

const sourceOf = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith("#")) return specifier.slice(1);
  return specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : specifier;
}

function importsOf(file: string, includeTypes: boolean): Import[] {
  const source = sourceOf.get(file) ?? "";
  const statement =
    /(?:^|\n)\s*(?:import|export)\s(type\s)?[^;'"`]*?from\s+["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g;
  return [...source.matchAll(statement)]
    .filter(([, typeOnly]) => includeTypes || !typeOnly)
    .map(([, , from, dynamic, bare]) => ({ file, target: resolve(file, from ?? dynamic ?? bare ?? "") }));
}

const imports = files.flatMap((file) => importsOf(file, true));
const within = (folder: string) => (path: string) => path.startsWith(`${folder}/`);
/** Returns the folder of an entry point; for a browser program, its folder in `functions/web`. */
const entryPointFolder = (path: string) =>
  within("functions/web")(path) ? path.split("/").slice(0, 3).join("/") : dirname(path);
const isPackage = (target: string) => !existsSync(target);
const toLines = (violations: readonly Import[]) => violations.map(({ file, target }) => `${file} → ${target}`);

/** Production code; tests may import anything. */
const production = imports.filter(({ file }) => !file.startsWith("test/") && file !== "vitest.config.ts");

/**
 * Allowed imports between the folders of `shared`. A folder may import itself and the folders that its row lists. A row
 * lists only folders of earlier rows, so the table cannot contain a cycle.
 */
const allowedArrows: readonly (readonly [folder: string, targets: string])[] = [
  ["api", ""],
  ["lib", "api"],
  ["client", "api"],
  ["markdown", "api"],
  ["dynamodb", "lib"],
  ["auth", "api lib"],
  ["probe", "client lib"],
  ["openapi", "api lib"],
  ["changes", "dynamodb lib"],
  ["guardrails", "api lib markdown"],
  ["tenancy", "api auth dynamodb lib"],
  ["models", "api guardrails lib"],
  ["embeddings", "lib models"],
  ["files", "api lib markdown"],
  ["http", "api auth dynamodb lib tenancy"],
  ["scim", "api auth dynamodb http lib tenancy"],
  ["conversations", "api auth client dynamodb files lib markdown tenancy"],
  ["knowledge", "api dynamodb embeddings files lib tenancy"],
  ["memory", "api conversations dynamodb lib"],
  ["message-search", "api conversations dynamodb knowledge lib markdown"],
  ["tools", "api auth dynamodb guardrails lib"],
  ["personas", "api auth conversations dynamodb lib models tenancy"],
  ["visitors", "api conversations dynamodb lib personas tenancy"],
  ["mcp", "api auth dynamodb http knowledge lib memory personas tools"],
  ["governance", "api auth changes conversations dynamodb knowledge lib memory personas tenancy tools"],
  ["webhooks", "api auth conversations dynamodb governance guardrails http lib tenancy"],
  ["investigations", "api auth conversations dynamodb governance knowledge lib models personas webhooks"],
  ["runs", "api auth changes conversations dynamodb governance lib models"],
  [
    "chat",
    "api auth client conversations dynamodb embeddings governance guardrails investigations knowledge lib markdown mcp memory models personas runs tenancy tools visitors webhooks",
  ],
  [
    "messengers",
    "api auth chat conversations dynamodb governance investigations lib markdown personas runs tenancy webhooks",
  ],
  [
    "evaluations",
    "api auth chat conversations dynamodb embeddings files governance guardrails knowledge lib models personas runs tenancy",
  ],
  ["schedules", "api auth chat conversations dynamodb evaluations knowledge lib personas runs tenancy"],
  ["slack", "api auth dynamodb http lib messengers tenancy"],
  ["teams", "api auth dynamodb http lib messengers tenancy"],
  ["telemetry", "conversations dynamodb guardrails lib models runs"],
  ["events", "api auth changes dynamodb governance lib telemetry tenancy webhooks"],
  [
    "embed",
    "api auth changes chat conversations dynamodb embeddings governance http knowledge lib personas runs tenancy tools visitors",
  ],
  ["openai", "api auth chat dynamodb governance guardrails http knowledge lib models personas tenancy"],
];

const folderOf = (path: string) => path.split("/")[1] ?? "";

const sharedImports = production.filter(({ file, target }) => within("shared")(file) && within("shared")(target));

/** Package and layer rules beyond the arrow table: each a name and a predicate that matches a violation. */
const forbidden: Readonly<Record<string, (entry: Import) => boolean>> = {
  "contracts import valibot and one another only": ({ file, target }) =>
    within("shared/api")(file) && !within("shared/api")(target) && target !== "valibot",
  "DynamoDB clients are imported in shared/dynamodb only": ({ file, target }) =>
    !within("shared/dynamodb")(file) && /^@aws-sdk\/.*dynamodb/.test(target),
  "middy is imported in shared/http only": ({ file, target }) =>
    !within("shared/http")(file) && target.startsWith("@middy/"),
  "Lambda event types are imported in shared/http and authorizers only": ({ file, target }) =>
    target === "aws-lambda" && !within("shared/http")(file) && !within("functions/authorizers")(file),
  "jose is imported in shared/auth only": ({ file, target }) => target === "jose" && !within("shared/auth")(file),
  "aws-lambda-stream is imported by change processors only": ({ file, target }) =>
    target.startsWith("aws-lambda-stream") && !/^(shared|functions)\/changes\//.test(file),
  "the CDK is imported in infra only": ({ file, target }) => target.startsWith("aws-cdk-lib") && !within("infra")(file),
  "shared imports neither functions nor infra": ({ file, target }) =>
    within("shared")(file) && /^(functions|infra)\//.test(target),
  "entry points do not import each other": ({ file, target }) =>
    within("functions")(file) &&
    within("functions")(target) &&
    !within("functions/web/design")(target) &&
    entryPointFolder(file) !== entryPointFolder(target),
  "infra refers to handlers by path, never by import": ({ file, target }) =>
    within("infra")(file) && within("functions")(target) && target !== "functions/schedules.ts",
  "browser code imports contracts, the client, Markdown and run events only": ({ file, target }) =>
    within("functions/web")(file) &&
    within("shared")(target) &&
    !within("shared/api")(target) &&
    !within("shared/client")(target) &&
    !within("shared/markdown")(target) &&
    target !== "shared/runs/events.ts",
  "production code does not import tests": ({ target }) => within("test")(target),
  "the local runner imports nothing of the product": ({ file, target }) =>
    within("infra/local")(file) &&
    (within("shared")(target)
      ? target !== "shared/lib/env.ts"
      : isPackage(target) && /^(aws-cdk-lib|@aws-sdk)/.test(target)),
};

it("table of allowed imports contains every folder of shared, after the folders that it may import", () => {
  const folders = new Set(sharedImports.map(({ file }) => folderOf(file)));
  const rows = allowedArrows.map(([folder]) => folder);
  expect([...folders].filter((folder) => !rows.includes(folder))).toEqual([]);
  for (const [index, [, targets]] of allowedArrows.entries()) {
    for (const target of targets.split(" ").filter(Boolean)) expect(rows.slice(0, index)).toContain(target);
  }
});

it("imports between folders of shared are all in the table of allowed imports", () => {
  const table = new Map(allowedArrows.map(([folder, targets]) => [folder, targets.split(" ")]));
  const violations = sharedImports.filter(({ file, target }) => {
    const [from, to] = [folderOf(file), folderOf(target)];
    return from !== to && !table.get(from)?.includes(to);
  });
  expect(toLines(violations)).toEqual([]);
});

it("imports between two folders of shared never go in both directions", () => {
  const arrows = new Map<string, Import>();
  for (const entry of sharedImports) {
    const [from, to] = [dirname(entry.file), dirname(entry.target)];
    const isNested = from.startsWith(`${to}/`) || to.startsWith(`${from}/`);
    if (from !== to && !isNested) arrows.set(`${from} → ${to}`, entry);
  }
  const pairs = [...arrows.keys()].filter((arrow) => arrows.has(arrow.split(" → ").reverse().join(" → ")));
  console.log(`arrows between folders of shared: ${arrows.size}, pairs in both directions: ${pairs.length}`);
  expect(pairs).toEqual([]);
});

it.each(Object.entries(forbidden))("imports between source files follow the rule: %s", (_, isViolation) => {
  expect(toLines(production.filter(isViolation))).toEqual([]);
});

it("test of import rules finds the imports of source files and recognizes a violation", () => {
  expect(production.length).toBeGreaterThan(100);
  expect(forbidden["jose is imported in shared/auth only"]?.({ file: "shared/http/x.ts", target: "jose" })).toBe(true);
  expect(toLines(production)).toContain("shared/auth/jwt.ts → jose");
});

it("fetch is called in shared only by the client and by three files with fixed addresses", () => {
  const calling = /(?<![\w.#]|async )fetch\(/;
  const callers = files.filter(
    (file) => within("shared")(file) && !within("shared/client")(file) && calling.test(sourceOf.get(file) ?? ""),
  );
  const addresses = ["auth/key-set.ts", "webhooks/sns-certificate.ts", "webhooks/sns-signature.ts"];
  expect(callers.sort()).toEqual(addresses.map((file) => `shared/${file}`));
});

it("process.env is read by shared/lib/env.ts only, and by a program that is published", () => {
  const reading = /^(?!\s*(?:\*|\/\/)).*\bprocess\.env\b(?!\.\w+ = )/m;
  // A snippet for users contains the text.
  const readers = files.filter(
    (file) => !/^test\/|\/snippets\.tsx$/.test(file) && reading.test(sourceOf.get(file) ?? ""),
  );
  expect(readers).toEqual(["infra/evaluate/main.ts", "infra/sync/main.ts", "shared/lib/env.ts"]);
});

it("imports between source files, including type imports, form no cycle", () => {
  const edges = new Map(files.map((file) => [file, importsOf(file, true).map(({ target }) => target)]));
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of edges.get(file) ?? []) {
      const cycle = edges.has(next) ? visit(next, [...path, file]) : null;
      if (cycle) return cycle;
    }
    done.add(file);
    return null;
  };
  const cycles = files.map((file) => visit(file, [])).filter((cycle) => cycle !== null);
  console.log(`import cycles: ${cycles.length}`);
  expect(cycles).toEqual([]);
});
