import { resolve } from "node:path";
import { App } from "aws-cdk-lib";
import packageJson from "../package.json" with { type: "json" };
import { bundleInThread } from "./bundle/bundle-in-thread.ts";
import { type BundlePlan, bundleOf, planFunctions, planSite } from "./bundle/bundle-plan.ts";
import { requireHandlers } from "./bundle/entry-points.ts";
import { siteSettings } from "./bundle/site-settings.ts";
import { type Config, loadConfig } from "./config.ts";
import { readUses } from "./rights/uses.ts";
import { SynthesisError } from "./synthesis-error.ts";

const root = resolve(import.meta.dirname, "..");
const { version } = packageJson;

/** Writes the assembly. Loads the constructs and contracts now, at the same time as the thread bundles. */
async function synthesize(app: App, config: Config, { functions, site }: BundlePlan): Promise<void> {
  const [{ addStacks }, { routes }] = await Promise.all([
    import("./stacks/switchboard.ts"),
    import("../shared/api/routes.ts"),
  ]);
  requireHandlers(routes, root);
  // The identity of an asset on AWS is the hash of its content.
  const { directory, hash } = site;
  const siteSource = config.stage === "local" ? { directory, hash } : { directory };
  addStacks(app, { config, routes, bundle: bundleOf(functions), usesOf: readUses(root), site: siteSource, version });
  app.synth();
}

try {
  const app = new App({ treeMetadata: false });
  const config = loadConfig((name) => app.node.tryGetContext(name));
  const isLocal = config.stage === "local";
  const plan: BundlePlan = {
    functions: planFunctions(root, isLocal ? "grouped" : "minified"),
    site: planSite(root, siteSettings(config, version)),
  };
  const bundling = bundleInThread(plan);
  // CDK reads the content of the directories for other stages.
  if (!isLocal) await Promise.all([bundling.functions, bundling.bundleSite()]);
  await Promise.all([bundling.functions, synthesize(app, config, plan)]);
  if (isLocal) {
    // The local runner starts the app while the site is bundled.
    process.send?.("usable");
    await bundling.bundleSite();
  }
} catch (error) {
  if (!(error instanceof SynthesisError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
