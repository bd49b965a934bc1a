import { RemovalPolicy, Validations } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { StackVariableName } from "../../shared/lib/env.ts";
import { type FunctionKindName, functionKind } from "../function-kinds.ts";
import { bucketNames, type DataResources, operationName, resourceName, type StackContext } from "../stack-context.ts";
import { keyStatements } from "./customer-key.ts";
import { functionEnvironment, secretsIn } from "./function-environment.ts";
import { guardrailStatements, modelStatements, objectStatements, secretStatements, tableStatements } from "./grants.ts";

interface FunctionProps {
  readonly context: StackContext;
  readonly kind: FunctionKindName;
  /** Name without the prefix of service and stage: `get-health`. */
  readonly name: string;
  readonly entry: string;
  readonly description: string;
  readonly data: DataResources;
  /** IAM statements in addition to those for the table and for other resources that the function uses. */
  readonly statements?: readonly PolicyStatement[];
  /**
   * True to disable Lambda's recursive loop detection, which stops a function that triggers itself after sixteen invocations.
   */
  readonly allowsRecursion?: boolean;
  /** Concurrency that is reserved for the function, which is also its maximum; by default, it shares the quota of the account. */
  readonly reservedConcurrency?: number | undefined;
  /** Environment variables of other resources. The function gets those that it reads. */
  readonly environment?: Partial<Record<StackVariableName | "PROBE_URL", string>>;
}

/** Lambda function of the service, with its own role and log group. */
export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: FunctionProps) {
    const { context, kind, data } = props;
    const { config, bundle, version } = context;
    const { memoryMb, timeout } = functionKind(kind, config);
    const { directory, handler, hash } = bundle.codeOf(props.entry);
    const functionName = (kind === "api" ? operationName : resourceName)(context, props.name);
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const uses = context.usesOf(props.name);
    const buckets = bucketNames(context);
    const provided: Partial<Record<StackVariableName | "PROBE_URL", string>> = {
      TABLE_NAME: data.table.tableName,
      STAGE: config.stage,
      SERVICE_VERSION: version,
      APP_SECRET: data.appSecret,
      DEPLOYMENT_KEY: data.deploymentKey,
      ORIGIN_SECRET: data.originSecret,
      ...buckets,
      ...props.environment,
    };
    const environment = functionEnvironment(config.settings, provided, uses.variables);
    const statements = [
      ...tableStatements(data.table, uses),
      ...(uses.rights.includes("bedrock:InvokeModel") ? modelStatements(scope, config.settings.model) : []),
      ...(uses.rights.includes("bedrock:ApplyGuardrail") ? guardrailStatements(scope, config.settings.guardrail) : []),
      ...objectStatements(uses.rights, buckets),
      ...secretStatements(scope, secretsIn(environment)),
      ...(props.statements ?? []),
    ];
    super(scope, id, {
      functionName,
      description: props.description,
      code: Code.fromAsset(directory, hash === undefined ? {} : { assetHash: hash }),
      handler,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMb,
      timeout,
      loggingFormat: LoggingFormat.JSON,
      // Reports of invocations that succeed are half of the logs of a turn. Those of crashes and timeouts are warnings.
      systemLogLevelV2: config.settings.base.LOG_LEVEL === "debug" ? SystemLogLevel.INFO : SystemLogLevel.WARN,
      ...(props.reservedConcurrency && { reservedConcurrentExecutions: props.reservedConcurrency }),
      ...(props.allowsRecursion && { recursiveLoop: RecursiveLoop.ALLOW }),
      logGroup,
      // All statements are inline: CDK would add grants as a second policy resource.
      role: createRole(context, scope, id, [
        ...statements,
        ...(data.keyArn === undefined ? [] : keyStatements(data.keyArn, statements)),
        new PolicyStatement({
          actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
          resources: [logGroup.logGroupArn],
        }),
      ]).withoutPolicyUpdates(),
      environment,
    });
  }
}

function createRole(context: StackContext, scope: Construct, id: string, statements: readonly PolicyStatement[]): Role {
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    inlinePolicies: { access: new PolicyDocument({ statements: [...statements] }) },
  });
  Validations.of(role).acknowledge({
    id: "AwsSolutions-IAM5[Resource::*]",
    reason: "dynamodb:ListStreams does not support resource-level permissions.",
  });
  const reasons = {
    attachments: "The bucket contains nothing but files of messages, whose keys name the tenant.",
    uploads: "The bucket contains nothing but uploaded files, whose keys name the tenant.",
    failures: "Lambda chooses the keys of the batches that it stores.",
  };
  for (const [bucket, reason] of Object.entries(reasons)) {
    const name = `${resourceName(context, bucket)}-<AWS::AccountId>-<AWS::Region>`;
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${name}/*]`,
      reason,
    });
  }
  return role;
}
