import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

/** An import of one file, resolved to a path in the repository or left as a package's name. */
interface Import {
  readonly file: string;
  readonly target: string;
}

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts"], {
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
const isPackage = (target: string) => !existsSync(target);
const sayings = (found: readonly Import[]) => found.map(({ file, target }) => `${file} → ${target}`);

/** The production code; tests may look at anything. */
const production = imports.filter(({ file }) => !file.startsWith("test/") && file !== "vitest.config.ts");

/** Directions that must not exist: each a name and what breaks it. */
const forbidden: Readonly<Record<string, (found: Import) => boolean>> = {
  "contracts import valibot and one another only": ({ file, target }) =>
    within("shared/api")(file) && !within("shared/api")(target) && target !== "valibot",
  "the domain does no I/O and has no clock, environment or ids of its own": ({ file, target }) =>
    within("shared/domain")(file) &&
    (/^node:(?!util|crypto)/.test(target) ||
      /^shared\/(data|http|auth|chat|search|changes|env|clock|ids|log)/.test(target) ||
      target.startsWith("@aws-sdk/")),
  "DynamoDB is reached through shared/data only": ({ file, target }) =>
    !within("shared/data")(file) && /^@aws-sdk\/.*dynamodb/.test(target),
  "middy stays in shared/http": ({ file, target }) => !within("shared/http")(file) && target.startsWith("@middy/"),
  "Lambda event types stay in shared/http and authorizers": ({ file, target }) =>
    target === "aws-lambda" &&
    !within("shared/http")(file) &&
    !/^(functions\/authorizers|shared\/auth\/authorizer)/.test(file),
  "jose stays in shared/auth": ({ file, target }) => target === "jose" && !within("shared/auth")(file),
  "aws-lambda-stream stays with the change processors": ({ file, target }) =>
    target.startsWith("aws-lambda-stream") && !/^(shared|functions)\/changes\//.test(file),
  "the CDK stays in infra": ({ file, target }) => target.startsWith("aws-cdk-lib") && !within("infra")(file),
  "shared knows neither functions nor infra": ({ file, target }) =>
    within("shared")(file) && /^(functions|infra)\//.test(target),
  "entry points do not know each other": ({ file, target }) =>
    within("functions")(file) && within("functions")(target) && dirname(file) !== dirname(target),
  "infra reaches handlers by path, never as modules": ({ file, target }) =>
    within("infra")(file) && within("functions")(target),
  "browser code knows contracts and events only": ({ file, target }) =>
    within("functions/web")(file) &&
    within("shared")(target) &&
    !within("shared/api")(target) &&
    target !== "shared/runs/events.ts",
  "production code knows no tests": ({ target }) => within("test")(target),
  "the local runner knows nothing of the product": ({ file, target }) =>
    within("infra/local")(file) &&
    (within("shared")(target)
      ? target !== "shared/lib/env.ts"
      : isPackage(target) && /^(aws-cdk-lib|@aws-sdk)/.test(target)),
};

describe("import directions", () => {
  it.each(Object.entries(forbidden))("%s", (_, breaks) => {
    expect(sayings(production.filter(breaks))).toEqual([]);
  });

  it("finds what it looks for", () => {
    expect(production.length).toBeGreaterThan(100);
    expect(forbidden["jose stays in shared/auth"]?.({ file: "shared/http/x.ts", target: "jose" })).toBe(true);
    expect(sayings(production)).toContain("shared/auth/jwt.ts → jose");
  });

  it("the environment is read in shared/lib/env.ts only", () => {
    const reading = /^(?!\s*(?:\*|\/\/)).*\bprocess\.env\b(?!\.\w+ = )/m;
    const readers = files.filter((file) => !file.startsWith("test/") && reading.test(sourceOf.get(file) ?? ""));
    expect(readers).toEqual(["shared/lib/env.ts"]);
  });

  it("has no cycle", () => {
    const edges = new Map(files.map((file) => [file, importsOf(file, false).map(({ target }) => target)]));
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
    expect(files.map((file) => visit(file, [])).filter(Boolean)).toEqual([]);
  });
});
