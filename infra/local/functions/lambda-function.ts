import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { account, partition, region } from "../assembly/local-account.ts";
import { fields, isFields, list, number, text } from "../json.ts";
import type { ExecutionRole } from "./authorization.ts";
import { statementsOfRole } from "./permissions.ts";
import type { PartitionKeys } from "./table-requests.ts";

export interface LambdaFunction {
  name: string;
  arn: string;
  /** Code directory; undefined for inline code. */
  directory: string | undefined;
  runtime: string;
  /** Module and export of the handler: `file.export`. */
  handler: string;
  memoryMb: number;
  timeoutMs: number;
  /** Variables from the template, without those that the Lambda runtime adds. */
  environment: Record<string, string>;
  logGroup: string;
  role: ExecutionRole;
  /** True if Lambda sends traces to X-Ray. */
  isTraced: boolean;
  partitionKeys: PartitionKeys;
}

/** Returns values that replace those of the template, given the names of a function's environment variables. */
export type EnvironmentOf = (names: readonly string[]) => Readonly<Record<string, string>>;

/** Returns the functions of the app by ARN. */
export function getFunctions(
  deployment: Deployment,
  environmentOf: EnvironmentOf = () => ({}),
): Map<string, LambdaFunction> {
  const roles = new Map(deployment.resources("AWS::IAM::Role").map((role) => [role.attributes.Arn, role]));
  const partitionKeys = partitionKeysIn(deployment);
  return new Map(
    deployment.resources("AWS::Lambda::Function").map((resource) => {
      const role = roles.get(text(resource.properties.Role) ?? "");
      const lambda = { ...toLambdaFunction(resource, deployment, role), partitionKeys };
      Object.assign(lambda.environment, environmentOf(Object.keys(lambda.environment)));
      return [lambda.arn, lambda];
    }),
  );
}

function partitionKeysIn(deployment: Deployment): PartitionKeys {
  const hashKey = (schema: unknown) =>
    text(fields(list(schema).find((key) => fields(key).KeyType === "HASH")).AttributeName) ?? "";
  return Object.fromEntries(
    deployment
      .resources("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
      .flatMap(({ ref, properties }) => [
        [ref, hashKey(properties.KeySchema)],
        ...[...list(properties.GlobalSecondaryIndexes), ...list(properties.LocalSecondaryIndexes)]
          .map(fields)
          .map((index) => [`${ref}/${index.IndexName}`, hashKey(index.KeySchema)]),
      ]),
  );
}

/** Strips the version or alias from a function ARN: `arn:…:function:name:1` → `arn:…:function:name`. */
export function unqualified(functionArn: string): string {
  return functionArn.split(":").slice(0, 7).join(":");
}

/** Returns the unqualified ARN of a function, from its name or from its ARN with or without a version or alias. */
export function functionArn(nameOrArn: string): string {
  if (nameOrArn.startsWith("arn:")) return unqualified(nameOrArn);
  return `arn:${partition}:lambda:${region}:${account}:function:${nameOrArn.split(":")[0]}`;
}

function toLambdaFunction(
  resource: DeployedResource,
  deployment: Deployment,
  role: DeployedResource | undefined,
): Omit<LambdaFunction, "partitionKeys"> {
  const { properties, ref: name, attributes } = resource;
  const variables = fields(fields(properties.Environment).Variables);
  const loggingConfig = isFields(properties.LoggingConfig) ? properties.LoggingConfig : {};
  return {
    name,
    arn: attributes.Arn ?? functionArn(name),
    directory: deployment.findAsset(text(fields(properties.Code).S3Key) ?? ""),
    runtime: text(properties.Runtime) ?? "",
    handler: text(properties.Handler) ?? "index.handler",
    memoryMb: number(properties.MemorySize, 128),
    timeoutMs: number(properties.Timeout, 3) * 1000,
    environment: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, String(value)])),
    logGroup: text(loggingConfig.LogGroup) ?? `/aws/lambda/${name}`,
    role: {
      name,
      sessionArn: `arn:${partition}:sts::${account}:assumed-role/${role?.ref ?? "none"}/${name}`,
      statements: role ? statementsOfRole(role, deployment) : [],
    },
    isTraced: fields(properties.TracingConfig).Mode === "Active",
  };
}
