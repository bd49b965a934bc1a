import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import type { Route } from "../shared/api/define-route.ts";
import { routes as allRoutes } from "../shared/api/routes.ts";
import { listEntryPoints } from "./bundle/entry-points.ts";
import type { Config } from "./config.ts";
import type { StackTemplate } from "./limits.ts";
import { readTemplates } from "./read-templates.ts";
import { readUses } from "./rights/uses.ts";
import { addStacks } from "./stacks/switchboard.ts";

/** Synthesizes the templates of a stage with placeholders for all code, because bundling takes half a minute. */
export function synthesizePlaceholders(
  config: Config,
  root: string,
  routes: readonly Route[] = allRoutes,
): StackTemplate[] {
  const directory = mkdtempSync(join(tmpdir(), "switchboard-templates-"));
  try {
    const [code, outdir] = [join(directory, "code"), join(directory, "out")];
    mkdirSync(code);
    writeFileSync(join(code, "index.cjs"), "exports.handler = async () => ({});");
    const app = new App({
      outdir,
      context: JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")).context,
      treeMetadata: false,
    });
    const { processors, jobs } = listEntryPoints(root);
    addStacks(app, {
      config,
      routes,
      bundle: { codeOf: () => ({ directory: code, handler: "index.handler" }), processors, jobs },
      usesOf: readUses(root),
      site: { directory: code },
      version: "0",
    });
    app.synth();
    return readTemplates(outdir);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
