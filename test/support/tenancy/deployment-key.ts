import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { Client } from "../client.ts";
import type { Switchboard } from "../switchboard.ts";

/** Returns the key of the operator of an instance: the current value of the secret. */
export function readDeploymentKey({ stateDir }: Pick<Switchboard, "stateDir">): string {
  const values: Record<string, string | { value: string }> = JSON.parse(
    readFileSync(join(stateDir, "secrets.json"), "utf8"),
  );
  const stored = Object.entries(values).find(([name]) => name.includes("DeploymentKey"))?.[1];
  return JSON.parse(typeof stored === "object" ? stored.value : String(stored)).current;
}

/** Client of the operator of a deployment. */
export class Operator extends Client {
  constructor(key: string = inject("deploymentKey"), baseUrl: string = inject("baseUrl")) {
    super({ tenant: "-", user: "-" }, baseUrl);
    Object.assign(this, { headers: { authorization: `Bearer ${key}` } });
  }
}
