import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalApp, startLocalApp } from "../../../infra/local/local-app.ts";

/** Resources of a template. */
export type Resources = Record<string, { Type: string; Properties?: unknown; Condition?: string }>;

/** CloudFormation template with the sections that a test needs. */
export type Template = { Resources: Resources; [section: string]: unknown };

/** Creates a temporary directory for one suite. */
export function temporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "local-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Writes a cloud assembly like `cdk synth`: one artifact per stack, and this folder's functions as the only code asset. */
export function writeAssembly(
  directory: string,
  stacks: Record<string, Template>,
  nestedStacks: Record<string, Template> = {},
): string {
  mkdirSync(directory, { recursive: true });
  const write = (name: string, value: unknown) => writeFileSync(join(directory, name), JSON.stringify(value));
  const files: Record<string, unknown> = {
    code: {
      source: { path: join(import.meta.dirname, "functions"), packaging: "zip" },
      destinations: { here: { objectKey: "code.zip" } },
    },
  };
  for (const [name, template] of Object.entries(nestedStacks)) {
    write(`${name}.nested.template.json`, template);
    files[name] = {
      source: { path: `${name}.nested.template.json`, packaging: "file" },
      destinations: { here: { objectKey: `${name}.json` } },
    };
  }
  write("all.assets.json", { version: "1", files });
  const artifacts: Record<string, unknown> = {
    "all.assets": { type: "cdk:asset-manifest", properties: { file: "all.assets.json" } },
  };
  for (const [name, template] of Object.entries(stacks)) {
    write(`${name}.template.json`, template);
    artifacts[name] = { type: "aws:cloudformation:stack", properties: { templateFile: `${name}.template.json` } };
  }
  write("manifest.json", { version: "1", artifacts });
  return directory;
}

const logging = { Effect: "Allow", Action: ["logs:CreateLogStream", "logs:PutLogEvents"], Resource: "*" };

/** Returns the resources of a function from this folder with its own role. `handler` is `file.export`. */
export function lambdaResources(
  id: string,
  handler: string,
  options: { environment?: unknown; timeout?: number; policies?: unknown[] } = {},
): Resources {
  return {
    [`${id}Role`]: {
      Type: "AWS::IAM::Role",
      Properties: {
        Policies: [{ PolicyName: "p", PolicyDocument: { Statement: [logging, ...(options.policies ?? [])] } }],
      },
    },
    [id]: {
      Type: "AWS::Lambda::Function",
      Properties: {
        Code: { S3Bucket: "assets", S3Key: "code.zip" },
        Handler: handler,
        Runtime: "nodejs24.x",
        Role: { "Fn::GetAtt": [`${id}Role`, "Arn"] },
        Timeout: options.timeout ?? 10,
        Environment: { Variables: options.environment ?? {} },
      },
    },
  };
}

/** Starts an assembly on a free port with its state in `directory`. */
export function startApp(directory: string, assembly: string): Promise<LocalApp> {
  return startLocalApp({ assembly, stateDir: join(directory, "state"), port: 0, hosts: ["tunnel.example"] });
}

/** Reads the lines that functions wrote to a file; none if it does not exist. */
export function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

/** Polls `condition` until it returns a truthy value, and returns that value. */
export async function waitUntil<Value>(condition: () => Value | undefined | false, timeoutMs = 20_000): Promise<Value> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error("Condition not met in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
