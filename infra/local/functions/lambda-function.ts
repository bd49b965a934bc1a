import type { Deployed, Deployment } from "../assembly/deployment.ts";
import { account, partition, region } from "../assembly/local-account.ts";
import { fields, isFields, number, text } from "../json.ts";
import { type Statement, statementsOf } from "./permissions.ts";

/** A Lambda function as its template describes it. */
export type LambdaFunction = {
  name: string;
  arn: string;
  /** Directory of its code; undefined where the template carries the code inline. */
  directory: string | undefined;
  runtime: string;
  /** `file.export`. */
  handler: string;
  memoryMb: number;
  timeoutMs: number;
  /** Variables from the template alone. */
  environment: Record<string, string>;
  logGroup: string;
  /** ARN of the role's session, the name under which AWS refuses things. */
  sessionArn: string;
  /** What its role may do. */
  statements: Statement[];
};

/** Every function of the app, by ARN. */
export function functionsOf(deployment: Deployment): Map<string, LambdaFunction> {
  const roles = new Map(deployment.resources("AWS::IAM::Role").map((role) => [role.attributes.Arn, role]));
  return new Map(
    deployment.resources("AWS::Lambda::Function").map((resource) => {
      const role = roles.get(text(resource.properties.Role) ?? "");
      const found = functionOf(resource, deployment, role);
      return [found.arn, found];
    }),
  );
}

/** Strips version or alias: `arn:…:function:name:1` and `arn:…:function:name` are the same function here. */
export function unqualified(functionArn: string): string {
  return functionArn.split(":").slice(0, 7).join(":");
}

/** ARN of a function given its name, its ARN or the ARN of a version or alias. */
export function functionArn(nameOrArn: string): string {
  if (nameOrArn.startsWith("arn:")) return unqualified(nameOrArn);
  return `arn:${partition}:lambda:${region}:${account}:function:${nameOrArn.split(":")[0]}`;
}

function functionOf(resource: Deployed, deployment: Deployment, role: Deployed | undefined): LambdaFunction {
  const { properties, ref: name, attributes } = resource;
  const variables = fields(fields(properties.Environment).Variables);
  const loggingConfig = isFields(properties.LoggingConfig) ? properties.LoggingConfig : {};
  return {
    name,
    arn: attributes.Arn ?? functionArn(name),
    directory: deployment.asset(text(fields(properties.Code).S3Key) ?? ""),
    runtime: text(properties.Runtime) ?? "",
    handler: text(properties.Handler) ?? "index.handler",
    memoryMb: number(properties.MemorySize, 128),
    timeoutMs: number(properties.Timeout, 3) * 1000,
    environment: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, String(value)])),
    logGroup: text(loggingConfig.LogGroup) ?? `/aws/lambda/${name}`,
    sessionArn: `arn:${partition}:sts::${account}:assumed-role/${role?.ref ?? "none"}/${name}`,
    statements: role ? statementsOf(role, deployment) : [],
  };
}
