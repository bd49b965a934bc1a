import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { describeUnusedGrants, readGrantReport } from "./grants.ts";
import { isFullRun } from "./run-size.ts";
import { startSwitchboard } from "./switchboard.ts";
import { readDeploymentKey } from "./tenancy/deployment-key.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Base URL of the service under test. */
    baseUrl: string;
    /** Key of its operator. */
    deploymentKey: string;
  }
}

/** Returns true if every suite of the project ran, which means that the command line selected no files. */
async function isWholeRun(project: TestProject): Promise<boolean> {
  const { testFiles } = await project.globTestFiles();
  const modules = project.vitest.state.getTestModules().filter((module) => module.project === project);
  return modules.length === testFiles.length;
}

/**
 * Starts one local instance for all black-box suites, unless `BASE_URL` names another one. All instances of the run log
 * the use of their grants. Fails at the end if a function was denied a request or, in a full run, if a grant was never
 * needed. A full run therefore fails if any grant is removed.
 */
export default async function setup(project: TestProject) {
  const externalUrl = process.env.BASE_URL;
  if (externalUrl) {
    project.provide("baseUrl", externalUrl);
    project.provide("deploymentKey", process.env.DEPLOYMENT_KEY ?? "");
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), "grants-"));
  // Test workers and the instances that they start inherit the variable.
  process.env.LOCAL_GRANTS ??= join(directory, "grants.ndjson");
  const instance = await startSwitchboard();
  project.provide("baseUrl", instance.baseUrl);
  project.provide("deploymentKey", readDeploymentKey(instance));
  return async () => {
    await instance.stop();
    const report = readGrantReport(process.env.LOCAL_GRANTS ?? "");
    rmSync(directory, { recursive: true, force: true });
    const problems = [...report.denied].map((request) => `denied: ${request}`);
    if (isFullRun && (await isWholeRun(project))) problems.push(...describeUnusedGrants(report));
    if (problems.length > 0) throw new Error(`Roles and code differ:\n${problems.join("\n")}`);
  };
}
