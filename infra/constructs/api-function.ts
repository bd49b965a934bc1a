import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { ProvidedName, SettingsGroup } from "../../shared/lib/env.ts";
import { nameOf, type Service, type ServiceData } from "../stack-context.ts";
import { guardrailStatements, type TableAccess, tableStatements } from "./grants.ts";

/** What a function is for decides how long it may take and what it is told. */
interface Kind {
  readonly timeout: Duration;
  readonly settings: readonly SettingsGroup[];
  /** Whether it answers requests, and so has to know the secrets that come with them. */
  readonly answersRequests: boolean;
}

const kinds = {
  // API Gateway waits 29 seconds: what takes longer has nobody to answer to.
  api: {
    timeout: Duration.seconds(29),
    settings: ["base", "limits", "auth", "model", "guardrail"],
    answersRequests: true,
  },
  authorizer: { timeout: Duration.seconds(10), settings: ["base", "auth"], answersRequests: false },
  streaming: {
    timeout: Duration.minutes(15),
    settings: ["base", "limits", "auth", "model", "guardrail"],
    answersRequests: true,
  },
  answering: {
    timeout: Duration.minutes(15),
    settings: ["base", "model", "guardrail"],
    answersRequests: false,
  },
  changes: { timeout: Duration.minutes(1), settings: ["base", "model", "guardrail"], answersRequests: false },
} as const satisfies Record<string, Kind>;

function checksTexts({ settings }: Kind): boolean {
  return settings.includes("guardrail");
}

/** A function, as far as functions differ. */
export interface FunctionProps {
  readonly service: Service;
  readonly kind: keyof typeof kinds;
  /** The part of its name that is its own: `get-health`. */
  readonly name: string;
  readonly entry: string;
  readonly description: string;
  readonly data: ServiceData;
  readonly access: TableAccess;
  /** What it may do beyond its table. */
  readonly statements?: readonly PolicyStatement[];
  /** Whether it has itself invoked again until all is done; Lambda would take it for a mistake after sixteen times. */
  readonly invokesItself?: boolean;
  /** Variables beyond those every function has. */
  readonly environment?: Partial<Record<ProvidedName, string>>;
}

/** One of the service's functions, with a role and a log group of its own. */
export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: FunctionProps) {
    const { service, kind, data } = props;
    const { config, bundle, version } = service;
    const functionName = nameOf(service, props.name);
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const provided: Partial<Record<ProvidedName, string>> = {
      TABLE_NAME: data.table.tableName,
      STAGE: config.stage,
      SERVICE_VERSION: version,
      ...(kinds[kind].answersRequests && { APP_SECRET: data.appSecret, ORIGIN_SECRET: data.originSecret }),
      ...props.environment,
    };
    super(scope, id, {
      functionName,
      description: props.description,
      code: Code.fromAsset(bundle.directoryOf(props.entry)),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: config.memory[kind],
      timeout: kinds[kind].timeout,
      tracing: Tracing.ACTIVE,
      ...(props.invokesItself && { recursiveLoop: RecursiveLoop.ALLOW }),
      logGroup,
      // Everything it may do is said at once; CDK's own additions would come as a second policy resource.
      role: roleOf(scope, id, [
        ...tableStatements(data.table, props.access),
        ...(checksTexts(kinds[kind]) ? guardrailStatements(scope, config.settings.guardrail) : []),
        ...(props.statements ?? []),
        new PolicyStatement({
          actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
          resources: [logGroup.logGroupArn],
        }),
      ]).withoutPolicyUpdates(),
      environment: {
        ...Object.assign({}, ...kinds[kind].settings.map((group) => config.settings[group])),
        ...provided,
      },
    });
  }
}

function roleOf(scope: Construct, id: string, statements: readonly PolicyStatement[]): Role {
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
    reason: "The actions of X-Ray, and dynamodb:ListStreams, know no resources.",
  });
  return role;
}
