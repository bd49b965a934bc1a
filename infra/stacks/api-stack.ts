import { Fn, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { CfnAccount, CfnGatewayResponse, CfnRestApi, CfnStage } from "aws-cdk-lib/aws-apigateway";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { ApiAuthorizers } from "../constructs/api-authorizers.ts";
import { ApiDeployment } from "../constructs/api-deployment.ts";
import { addRoutes } from "../constructs/api-routes.ts";
import { gatewayResponses } from "../constructs/gateway-responses.ts";
import { type DataResources, resourceName, type StackContext, type UploadResources } from "../stack-context.ts";

/** Format of the access log, without contents of requests and responses. */
const accessLogFormat = JSON.stringify({
  request_id: "$context.requestId",
  time: "$context.requestTime",
  address: "$context.identity.sourceIp",
  method: "$context.httpMethod",
  route: "$context.resourcePath",
  status: "$context.status",
  latency: "$context.responseLatency",
  integration_latency: "$context.integrationLatency",
  length: "$context.responseLength",
  error: "$context.error.responseType",
  tenant: "$context.authorizer.principalId",
});

/** Stack of the REST API, which serves all routes that do not stream. */
export class ApiStack extends Stack {
  /** Domain name and path by which CloudFront reaches the API. */
  readonly origin: { readonly domainName: string; readonly path: string };
  readonly stageArn: string;

  constructor(scope: Construct, id: string, context: StackContext, data: DataResources, uploads: UploadResources) {
    super(scope, id, { description: "Switchboard: the REST API" });
    const { config } = context;
    const apiName = resourceName(context, "api");
    const restApi = new CfnRestApi(this, "Api", {
      name: apiName,
      description: "Switchboard",
      endpointConfiguration: { types: ["REGIONAL"] },
      // Bodies of these types reach functions in Base64; others are decoded as UTF-8 and lose bytes. CloudFront sends all bodies
      // as the first one.
      binaryMediaTypes: ["application/octet-stream", "multipart/form-data"],
    });
    const authorizers = new ApiAuthorizers(restApi, context, data);
    const { methods, nestedStacks } = addRoutes({ restApi, authorizers, data, uploads }, context);
    const responses = gatewayResponses(restApi.ref);
    const deployment = new ApiDeployment(restApi, [...authorizers.definitions, ...methods, ...responses]);
    for (const response of responses) {
      deployment.addResourceDependency(new CfnGatewayResponse(this, response.responseType, response));
    }
    for (const stack of nestedStacks) deployment.node.addDependency(stack);
    deployment.node.addDependency(authorizers, restApi.node.findChild("Paths"));

    const accessLog = new LogGroup(this, "AccessLog", {
      logGroupName: `/aws/apigateway/${apiName}`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stage = new CfnStage(this, "Stage", {
      restApiId: restApi.ref,
      deploymentId: deployment.ref,
      stageName: config.stage,
      // API Gateway requires the ARN without the `:*` suffix that CloudFormation returns.
      accessLogSetting: {
        destinationArn: Fn.select(0, Fn.split(":*", accessLog.logGroupArn)),
        format: accessLogFormat,
      },
      methodSettings: [
        {
          httpMethod: "*",
          resourcePath: "/*",
          loggingLevel: "ERROR",
          dataTraceEnabled: false,
          throttlingRateLimit: config.throttle.rate,
          throttlingBurstLimit: config.throttle.burst,
        },
        ...openRouteThrottles(context),
      ],
    });
    stage.addResourceDependency(configureApiLogging(this));
    this.stageArn = `arn:${this.partition}:apigateway:${this.region}::/restapis/${restApi.ref}/stages/${stage.ref}`;
    this.origin = {
      domainName: `${restApi.ref}.execute-api.${this.region}.${this.urlSuffix}`,
      path: `/${stage.stageName}`,
    };
    Validations.of(this).acknowledge(
      { id: "AwsSolutions-APIG2", reason: "The functions validate requests with the schemas of the routes." },
      {
        id: "AwsSolutions-APIG3",
        reason: "A web ACL costs money without traffic, so it is an option (-c waf=true).",
      },
      {
        id: "AwsSolutions-COG4",
        reason: "Tokens are issued by the operator's identity provider, keys by the service.",
      },
    );
  }
}

/** Limits routes without a credential to a fifth of the stage's rate, so that they leave capacity for the others. */
function openRouteThrottles({ config, routes }: StackContext): CfnStage.MethodSettingProperty[] {
  return routes
    .filter(({ auth, streaming, method }) => auth === "none" && !streaming && method !== "ANY")
    .map(({ method, path }) => ({
      httpMethod: method,
      resourcePath: path.replaceAll("/", "~1").replace("~1", "/~1"),
      loggingLevel: "ERROR",
      dataTraceEnabled: false,
      throttlingRateLimit: Math.ceil(config.throttle.rate / 5),
      throttlingBurstLimit: Math.ceil(config.throttle.burst / 5),
    }));
}

/**
 * Sets the role with which API Gateway writes logs. It is a setting of the whole account, so it stays when the stack is
 * deleted.
 */
function configureApiLogging(scope: Construct): CfnAccount {
  const role = new Role(scope, "LogsRole", {
    assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName("service-role/AmazonAPIGatewayPushToCloudWatchLogs")],
  });
  role.applyRemovalPolicy(RemovalPolicy.RETAIN);
  Validations.of(role).acknowledge({
    id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
    reason: "AWS provides this policy for the API Gateway logging role, which is account-wide.",
  });
  const account = new CfnAccount(scope, "Account", { cloudWatchRoleArn: role.roleArn });
  account.applyRemovalPolicy(RemovalPolicy.RETAIN);
  return account;
}
