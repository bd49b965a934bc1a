import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

it.each([
  [
    "infra/commands/preflight.ts",
    "Name the stage: npm run preflight -- --stage prod [--domain <name> --certificate <ARN in us-east-1>] [--cells <number of deployments in the account>] [--ask-model]\n",
  ],
  ["infra/commands/redrive.ts", "Name the queue: npm run redrive -- switchboard-<stage>-failed-jobs\n"],
  [
    "infra/commands/rotate.ts",
    "Name the secret: npm run rotate -- switchboard-<stage>-app-secret [--revoke] [--force] | --accept <app secret of another cell>[@<region>]\n",
  ],
])("script %s prints how to call it when it is started without arguments", (script, usage) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: usage });
});
