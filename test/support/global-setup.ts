import type { TestProject } from "vitest/node";
import { startSwitchboard } from "./switchboard.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Base URL of the service under test. */
    baseUrl: string;
  }
}

/** Starts one local instance for all black-box suites, unless `BASE_URL` names another one. */
export default async function setup(project: TestProject) {
  const externalUrl = process.env.BASE_URL;
  if (externalUrl) {
    project.provide("baseUrl", externalUrl);
    return;
  }
  const instance = await startSwitchboard();
  project.provide("baseUrl", instance.baseUrl);
  return () => instance.stop();
}
