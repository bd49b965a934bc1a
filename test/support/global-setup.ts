import type { TestProject } from "vitest/node";
import { startSwitchboard } from "./switchboard.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the service under test answers. */
    baseUrl: string;
  }
}

/** One instance in local mode for all black-box suites; `BASE_URL` points them at another one. */
export default async function setup(project: TestProject) {
  const given = process.env.BASE_URL;
  if (given) {
    project.provide("baseUrl", given);
    return;
  }
  const instance = await startSwitchboard();
  project.provide("baseUrl", instance.baseUrl);
  return () => instance.stop();
}
