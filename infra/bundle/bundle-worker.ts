/**
 * Thread of `bundleInThread`.
 */
import { parentPort, workerData } from "node:worker_threads";
import { bundleFunctions } from "./bundle.ts";
import type { BundlePlan } from "./bundle-plan.ts";
import { bundleSite } from "./site-bundle.ts";

const { functions, site } = workerData as BundlePlan;
parentPort?.once("message", () => bundleSite(site));
await bundleFunctions(functions);
parentPort?.postMessage("functions");
