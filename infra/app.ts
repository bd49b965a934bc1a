import { resolve } from "node:path";
import { App } from "aws-cdk-lib";
import packageJson from "../package.json" with { type: "json" };
import { routes } from "../shared/api/routes.ts";
import { bundleFunctions } from "./bundle.ts";
import { loadConfig } from "./config.ts";
import { bundleSite } from "./site-bundle.ts";
import { addStacks } from "./stacks/switchboard.ts";
import { SynthesisError } from "./synthesis-error.ts";

try {
  const app = new App({ treeMetadata: false });
  const config = loadConfig((name) => app.node.tryGetContext(name));
  const root = resolve(import.meta.dirname, "..");
  const { version } = packageJson;
  const bundle = await bundleFunctions(routes, root);
  const siteDirectory = await bundleSite(config, version, root);
  addStacks(app, { config, routes, bundle, siteDirectory, version });
  app.synth();
} catch (error) {
  if (!(error instanceof SynthesisError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
