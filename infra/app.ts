import { resolve } from "node:path";
import { App } from "aws-cdk-lib";
import { usesOf } from "../functions/uses.ts";
import packageJson from "../package.json" with { type: "json" };
import { routes } from "../shared/api/routes.ts";
import { bundleFunctions } from "./bundle/bundle.ts";
import { bundleSite } from "./bundle/site-bundle.ts";
import { loadConfig } from "./config.ts";
import { SynthesisError } from "./synthesis-error.ts";

try {
  const app = new App({ treeMetadata: false });
  const config = loadConfig((name) => app.node.tryGetContext(name));
  const root = resolve(import.meta.dirname, "..");
  const { version } = packageJson;
  const [bundle, siteDirectory, { addStacks }] = await Promise.all([
    bundleFunctions(routes, root, config.stage === "local" ? "plain" : "minified"),
    bundleSite(config, version, root),
    // Loads the constructs while esbuild works, which is a process of its own.
    import("./stacks/switchboard.ts"),
  ]);
  addStacks(app, { config, routes, bundle, usesOf, siteDirectory, version });
  app.synth();
} catch (error) {
  if (!(error instanceof SynthesisError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
