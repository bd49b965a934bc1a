import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { defineRoute, type Route } from "#shared/api/define-route.ts";
import { routes as ownRoutes } from "#shared/api/routes.ts";
import type { Bundle } from "../../infra/bundle.ts";
import { type Config, loadConfig } from "../../infra/config.ts";
import { addStacks } from "../../infra/stacks/switchboard.ts";

/** A resource as a template has it. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: templates are looked into, and a wrong look fails the test
  readonly Properties: any;
}

/** The resources of each template, nested ones included, by the template's name. */
export type Templates = ReadonlyMap<string, Readonly<Record<string, Resource>>>;

/** What to synthesise, where it is not simply the app. */
export interface Variation {
  readonly stage?: Config["stage"];
  readonly routes?: readonly Route[];
  /** The last word before the app is synthesised. */
  readonly before?: (app: App) => void;
}

const context = JSON.parse(readFileSync("cdk.json", "utf8")).context as Record<string, unknown>;

/** Synthesises the app without bundling anything: every function has the same few bytes of code. */
export function synthesise({ stage = "prod", routes = ownRoutes, before }: Variation = {}): Templates {
  const directory = mkdtempSync(join(tmpdir(), "switchboard-synth-"));
  try {
    const code = join(directory, "code");
    mkdirSync(code);
    writeFileSync(join(code, "index.cjs"), "exports.handler = async () => ({});");
    const bundle: Bundle = {
      directoryOf: () => code,
      jobs: ["functions/jobs/watch-run.ts", "functions/jobs/continue-run.ts"],
      processors: ["functions/changes/cascade/index.ts"],
    };
    const outdir = join(directory, "out");
    // CDK's own check takes longer than all the rest: once is enough, where the templates are checked anyway.
    const app = new App({
      outdir,
      context,
      treeMetadata: false,
      builtinCloudFormationValidation: before !== undefined,
    });
    const config = loadConfig((name) => (name === "stage" ? stage : undefined));
    addStacks(app, { config, routes, bundle, version: "1.2.3" });
    before?.(app);
    app.synth();
    const files = readdirSync(outdir).filter((file) => file.endsWith(".template.json"));
    return new Map(files.map((file) => [file, JSON.parse(readFileSync(join(outdir, file), "utf8")).Resources]));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A route like any other, as far as nothing else is said. */
export function aRoute(differences: Partial<Route>): Route {
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

/** Every resource of a type, in whichever template. */
export function resourcesOf(templates: Templates, type: string): Resource[] {
  return [...templates.values()].flatMap((resources) => Object.values(resources).filter(({ Type }) => Type === type));
}

/** As many routes as asked for, five to a resource, a tenth of them streamed. */
export function manyRoutes(count: number): Route[] {
  return Array.from({ length: count }, (_, index) => {
    const [group, method] = [Math.floor(index / 5), (["GET", "POST", "PUT", "PATCH", "DELETE"] as const)[index % 5]];
    const path = method === "POST" ? `/v1/things${group}` : `/v1/things${group}/{id}`;
    const streaming = index % 10 === 1;
    return aRoute({
      id: `doThing${index}`,
      group: `things${group}`,
      method: method ?? "GET",
      path: streaming ? `${path}/stream` : path,
      auth: index % 7 === 0 ? "none" : "jwt",
      streaming,
    });
  });
}
