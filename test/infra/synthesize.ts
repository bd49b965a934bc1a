import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { defineRoute, type Route } from "#shared/api/define-route.ts";
import { routes as ownRoutes } from "#shared/api/routes.ts";
import type { Bundle } from "../../infra/bundle/bundle-plan.ts";
import { type Config, loadConfig } from "../../infra/config.ts";
import type { StackTemplate } from "../../infra/limits.ts";
import { kebabCase } from "../../infra/naming.ts";
import { readUses, type Uses, type UsesOf } from "../../infra/rights/uses.ts";
import { addStacks } from "../../infra/stacks/switchboard.ts";

/** Resource of a CloudFormation template. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: templates are looked into, and a wrong look fails the test
  readonly Properties: any;
}

/** Resources by template file name, including nested templates. */
export type Templates = ReadonlyMap<string, Readonly<Record<string, Resource>>>;

/** Deviations from the production app. */
export interface SynthesizeOptions {
  readonly stage?: Config["stage"];
  readonly routes?: readonly Route[];
  /** Ids of the service's routes to add; by default all, which take a second and a half of a processor. */
  readonly routeIds?: readonly string[];
  /** Adds the static site, with one file. */
  readonly hasSite?: boolean;
  /** Jobs and stream processors to add; by default all with all routes, otherwise two jobs and one processor. */
  readonly entries?: Pick<Bundle, "jobs" | "processors">;
  readonly version?: string;
  /** Bundled code; by default a placeholder. */
  readonly bundle?: Bundle;
  /** Uses of functions; by default those of the lock file, and those of each operation for a route of a test. */
  readonly usesOf?: UsesOf;
  /** Values of the CDK context in addition to the stage: `-c waf=true`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** True to use only the settings of the environment, without `requiredSettings`. */
  readonly hasOwnSettings?: boolean;
  /** Directory in which the cloud assembly remains. */
  readonly outdir?: string;
  /** Called before the app is synthesized. */
  readonly beforeSynth?: (app: App) => void;
}

/** Settings without which a production stage is not synthesized. */
const requiredSettings: Readonly<Record<string, string>> = {
  MODEL_PROVIDER: "openai-compatible",
  MODEL_BASE_URL: "https://models.example.com/v1",
  JWT_ISSUER: "https://issuer.example.com/",
  JWT_AUDIENCE: "switchboard",
  JWT_JWKS_URL: "https://issuer.example.com/jwks.json",
};

const context = JSON.parse(readFileSync("cdk.json", "utf8")).context as Record<string, unknown>;

const usesOfOwn = readUses(process.cwd());

const usesOfTest: Uses = {
  actions: ["GetItem"],
  indexes: [],
  partitions: ["*#tenant"],
  variables: ["TABLE_NAME", "ORIGIN_SECRET"],
  rights: [],
};

/** Returns what a function uses; for a route of a test, what each operation uses. */
const usesOfKnown =
  (routes: readonly Route[]): UsesOf =>
  (name) =>
    routes.some((route) => !ownRoutes.includes(route) && kebabCase(route.id) === name) ? usesOfTest : usesOfOwn(name);

const fewEntries: Pick<Bundle, "jobs" | "processors"> = {
  jobs: ["functions/jobs/watch-run.ts", "functions/jobs/continue-run.ts"],
  processors: ["functions/changes/cascade/index.ts"],
};

/** All jobs and stream processors of the service. */
export const allEntries: Pick<Bundle, "jobs" | "processors"> = {
  jobs: readdirSync("functions/jobs").map((file) => `functions/jobs/${file}`),
  processors: readdirSync("functions/changes").map((folder) => `functions/changes/${folder}/index.ts`),
};

/** Templates by what they are made from, because a synthesis takes seconds and most tests of a file read the same app. */
const known = new Map<string, Templates>();

/** Synthesizes the app without bundling: every function has the same placeholder code. */
export function synthesize(synthesizeOptions: SynthesizeOptions = {}): Templates {
  const { stage = "prod", routeIds, hasSite = false, options = {}, version = "1.2.3" } = synthesizeOptions;
  const routes = synthesizeOptions.routes ?? ownRoutes.filter(({ id }) => routeIds?.includes(id) ?? true);
  const isWhole = !synthesizeOptions.routes && !routeIds;
  const { hasOwnSettings = false, entries = isWhole ? allEntries : fewEntries, beforeSynth } = synthesizeOptions;
  const added =
    stage === "local" || stage === "dev" || hasOwnSettings
      ? []
      : Object.keys(requiredSettings).filter((n) => !process.env[n]);
  for (const name of added) process.env[name] = requiredSettings[name];
  const directory = mkdtempSync(join(tmpdir(), "switchboard-synth-"));
  try {
    const config = loadConfig((name) => (name === "stage" ? stage : options[name]));
    const { routes: ofTest, bundle: given, usesOf: ownUses, outdir: target, ...source } = synthesizeOptions;
    const isShared = !ofTest && !given && !ownUses && !target && !beforeSynth;
    const key = JSON.stringify([config, { ...source, entries }, process.env.CDK_DEFAULT_REGION]);
    const existing = isShared ? known.get(key) : undefined;
    if (existing) return existing;
    const code = join(directory, "code");
    mkdirSync(code);
    writeFileSync(join(code, "index.cjs"), "exports.handler = async () => ({});");
    const bundle: Bundle = synthesizeOptions.bundle ?? {
      codeOf: () => ({ directory: code, handler: "index.handler" }),
      ...entries,
    };
    const outdir = synthesizeOptions.outdir ?? join(directory, "out");
    // CDK's built-in validation takes longer than the rest, so only the test that validates templates enables it.
    const app = new App({
      outdir,
      context,
      treeMetadata: false,
      builtinCloudFormationValidation: beforeSynth !== undefined,
    });
    addStacks(app, {
      config,
      routes,
      bundle,
      usesOf: synthesizeOptions.usesOf ?? usesOfKnown(routes),
      version,
      ...(hasSite && { site: { directory: code } }),
    });
    beforeSynth?.(app);
    app.synth();
    const files = readdirSync(outdir).filter((file) => file.endsWith(".template.json"));
    const templates = new Map(
      files.map((file) => [file, JSON.parse(readFileSync(join(outdir, file), "utf8")).Resources] as const),
    );
    if (isShared) known.set(key, templates);
    return templates;
  } finally {
    rmSync(directory, { recursive: true, force: true });
    for (const name of added) delete process.env[name];
  }
}

/** Returns the templates in the form that `infra` measures. */
export const toStackTemplates = (templates: Templates): StackTemplate[] =>
  [...templates.values()].map((Resources) => ({ Resources }));

/** Creates a JWT-authenticated GET route with the given differences. */
export function createRoute(differences: Partial<Route>): Route {
  return defineRoute({
    id: "doThing",
    group: "things",
    method: "GET",
    path: "/v1/things",
    auth: "jwt",
    replies: { 200: null },
    summary: "Do a thing",
    ...differences,
  });
}

/** Returns all resources of a type in all templates. */
export function resourcesOf(templates: Templates, type: string): Resource[] {
  return [...templates.values()].flatMap((resources) => Object.values(resources).filter(({ Type }) => Type === type));
}

/** Creates routes, five per resource; a tenth of them stream. */
export function createRoutes(count: number): Route[] {
  return Array.from({ length: count }, (_, index) => {
    const [group, method] = [Math.floor(index / 5), (["GET", "POST", "PUT", "PATCH", "DELETE"] as const)[index % 5]];
    const path = method === "POST" ? `/v1/things${group}` : `/v1/things${group}/{id}`;
    const streaming = index % 10 === 1;
    return createRoute({
      id: `doThing${index}`,
      group: `things${group}`,
      method: method ?? "GET",
      path: streaming ? `${path}/stream` : path,
      auth: index % 7 === 0 ? "none" : "jwt",
      streaming,
    });
  });
}
