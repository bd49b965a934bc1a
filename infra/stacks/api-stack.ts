import { Fn, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { CfnAccount, CfnRestApi, CfnStage, Deployment, RestApi } from "aws-cdk-lib/aws-apigateway";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { ApiAuthorizers } from "../constructs/api-authorizers.ts";
import { apiDocument } from "../constructs/api-document.ts";
import { ApiFunctions, notFoundName } from "../constructs/api-functions.ts";
import { invocationUri } from "../constructs/integration.ts";
import { InvokeRole } from "../constructs/invoke-role.ts";
import { methodSettings } from "../constructs/throttles.ts";
import { kebabCase } from "../naming.ts";
import { type DataResources, operationName, resourceName, type StackContext } from "../stack-context.ts";

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

  constructor(scope: Construct, id: string, context: StackContext, data: DataResources) {
    super(scope, id, { description: "Switchboard: the REST API" });
    const { config } = context;
    const apiName = resourceName(context, "api");
    const routes = context.routes.filter(({ streaming }) => !streaming);
    const authorizers = new ApiAuthorizers(this, context, routes, data);
    const functions = new ApiFunctions(this, context, routes, data);
    const body = apiDocument({
      title: apiName,
      routes,
      securitySchemes: authorizers.securitySchemes,
      invocationUri: ({ id }) => invocationUri(operationName(context, kebabCase(id))),
      notFoundUri: invocationUri(operationName(context, notFoundName)),
      credentials: new InvokeRole(this, "InvokeOperationsRole", [operationName(context, "*")]).roleArn,
    });
    // With `merge`, parts that the document no longer has would stay. A warning is an operation that was not imported.
    const restApi = new CfnRestApi(this, "Api", {
      body,
      mode: "overwrite",
      failOnWarnings: true,
      parameters: { endpointConfigurationTypes: "REGIONAL" },
    });
    const deployment = new Deployment(this, "Deployment", {
      api: RestApi.fromRestApiId(this, "Imported", restApi.ref),
    });
    // API Gateway takes a snapshot only when a deployment is created, so a changed document gets a new one.
    deployment.addToLogicalId(body);
    deployment.node.addDependency(restApi, authorizers, functions);

    const accessLog = new LogGroup(this, "AccessLog", {
      logGroupName: `/aws/apigateway/${apiName}`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stage = new CfnStage(this, "Stage", {
      restApiId: restApi.ref,
      deploymentId: deployment.deploymentId,
      stageName: config.stage,
      // API Gateway requires the ARN without the `:*` suffix that CloudFormation returns.
      accessLogSetting: {
        destinationArn: Fn.select(0, Fn.split(":*", accessLog.logGroupArn)),
        format: accessLogFormat,
      },
      methodSettings: methodSettings(context),
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
        reason:
          "A production stage has a web ACL by default in us-east-1; elsewhere, throttles bound each method, not the stage.",
      },
      {
        id: "AwsSolutions-COG4",
        reason: "Tokens are issued by the operator's identity provider, keys by the service.",
      },
    );
  }
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
