import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { SynthesisError } from "../synthesis-error.ts";
import type { BundlePlan } from "./bundle-plan.ts";

/** A thread that bundles. Its promises reject with a SynthesisError if a source does not compile. */
interface Bundling {
  /** Resolves when all functions are bundled. */
  readonly functions: Promise<void>;
  /** Bundles the site, and resolves when everything is bundled. */
  bundleSite(): Promise<void>;
}

/** Bundles the functions and, on request, the site in a thread. Creates their directories immediately. */
export function bundleInThread(plan: BundlePlan): Bundling {
  const { groups, directory } = plan.functions;
  for (const path of [...groups.map(({ name }) => join(directory, name)), plan.site.directory]) {
    mkdirSync(path, { recursive: true });
  }
  const worker = new Worker(new URL("./bundle-worker.ts", import.meta.url), { workerData: plan });
  const waitFor = (event: "message" | "exit") =>
    new Promise<void>((resolve, reject) => {
      worker.once(event, () => resolve());
      // The class of an error does not survive between threads.
      worker.once("error", (error: Error) =>
        reject(error.name === SynthesisError.name ? new SynthesisError(error.message) : error),
      );
    });
  return {
    functions: waitFor("message"),
    bundleSite: () => {
      worker.postMessage("site");
      return waitFor("exit");
    },
  };
}
