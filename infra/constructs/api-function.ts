import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { RateLimitClass } from "../../shared/api/define-route.ts";
import type { StackVariableName } from "../../shared/lib/env.ts";
import { type DataResources, resourceName, type StackContext } from "../stack-context.ts";
import { type AccessContract, tableAccessOf } from "../table-access.ts";
import { functionEnvironment, secretsIn } from "./function-environment.ts";
import { guardrailStatements, modelStatements, secretStatements, tableStatements } from "./grants.ts";

/** Timeouts by purpose. API Gateway's integration timeout is 29 seconds; a longer one of the function has no effect. */
const timeouts = {
  api: Duration.seconds(29),
  authorizer: Duration.seconds(10),
  streaming: Duration.minutes(15),
  modelJob: Duration.minutes(15),
  fileJob: Duration.minutes(2),
  changes: Duration.minutes(1),
  indexing: Duration.minutes(2),
} as const;

/** Properties of `ServiceFunction`. */
export interface FunctionProps {
  readonly context: StackContext;
  readonly kind: keyof typeof timeouts;
  /** Name without the service and stage prefix: `get-health`. */
  readonly name: string;
  readonly entry: string;
  readonly description: string;
  readonly data: DataResources;
  /** Policy statements in addition to table access. */
  readonly statements?: readonly PolicyStatement[];
  /** Disables Lambda's recursive loop detection, which stops a function that triggers itself after sixteen invocations. */
  readonly allowsRecursion?: boolean;
  /** Concurrency that is reserved for the function, which is also its upper bound. */
  readonly reservedConcurrency?: number | undefined;
  /** Class of the rate limit of the function's route. */
  readonly rateLimit?: RateLimitClass;
  /** Properties of the function's route on which its access to the table depends. */
  readonly route?: AccessContract;
  /** Environment variables in addition to those of every function, for those functions that read them. */
  readonly environment?: Partial<Record<StackVariableName, string>>;
}

/** A function of the service with its own role and log group. */
export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: FunctionProps) {
    const { context, kind, data } = props;
    const { config, bundle, version } = context;
    const functionName = resourceName(context, props.name);
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const variableNames = bundle.variablesOf(props.entry);
    const provided: Partial<Record<StackVariableName, string>> = {
      TABLE_NAME: data.table.tableName,
      STAGE: config.stage,
      SERVICE_VERSION: version,
      APP_SECRET: data.appSecret,
      ORIGIN_SECRET: data.acceptedOriginSecrets,
      ...props.environment,
    };
    // CloudFormation resolves a rotated origin secret only in resources that change, so that each function with the secret
    // has to change with the version.
    const needsVersion = variableNames.has("ORIGIN_SECRET");
    const environment = {
      ...functionEnvironment(config.settings, provided, variableNames, props.rateLimit),
      ...(needsVersion && { SERVICE_VERSION: version }),
    };
    super(scope, id, {
      functionName,
      description: props.description,
      code: Code.fromAsset(bundle.directoryOf(props.entry)),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: config.memory[kind],
      timeout: timeouts[kind],
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.JSON,
      ...(props.reservedConcurrency && { reservedConcurrentExecutions: props.reservedConcurrency }),
      ...(props.allowsRecursion && { recursiveLoop: RecursiveLoop.ALLOW }),
      logGroup,
      // All statements are inline: CDK would add grants as a second policy resource.
      role: createRole(context, scope, id, [
        ...tableStatements(data.table, tableAccessOf(props.entry, props.route)),
        // A variable of the Bedrock client, which is in the code of the functions that call models.
        ...(variableNames.has("AWS_BEARER_TOKEN_BEDROCK") ? modelStatements(scope, config.settings.model) : []),
        ...(variableNames.has("GUARDRAIL_ID") ? guardrailStatements(scope, config.settings.guardrail) : []),
        ...secretStatements(scope, secretsIn(environment)),
        ...(props.statements ?? []),
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
  const tracing = new PolicyStatement({
    actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
    resources: ["*"],
  });
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    inlinePolicies: { access: new PolicyDocument({ statements: [...statements, tracing] }) },
  });
  Validations.of(role).acknowledge({
    id: "AwsSolutions-IAM5[Resource::*]",
    reason: "X-Ray actions and dynamodb:ListStreams do not support resource-level permissions.",
  });
  const reasons = {
    uploads: "The bucket contains nothing but uploaded files, whose keys name the tenant.",
    "stream-failures": "Lambda chooses the keys of the batches that it stores.",
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
