import { Fn, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { CfnAccount, CfnGatewayResponse, CfnRestApi, CfnStage } from "aws-cdk-lib/aws-apigateway";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { ApiAuthorizers } from "../constructs/api-authorizers.ts";
import { ApiDeployment } from "../constructs/api-deployment.ts";
import { addRoutes } from "../constructs/api-routes.ts";
import { gatewayResponses } from "../constructs/gateway-responses.ts";
import { nameOf, type Service, type ServiceData } from "../stack-context.ts";

/** What one line of the access log tells: who asked for what, how it went, and nothing of what was said. */
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

/** The REST API: everything that is not streamed. */
export class ApiStack extends Stack {
  /** Where the edge finds the API. */
  readonly origin: { readonly domainName: string; readonly path: string };

  constructor(scope: Construct, id: string, service: Service, data: ServiceData) {
    super(scope, id, { description: "Switchboard: the REST API" });
    const { config } = service;
    const apiName = nameOf(service, "api");
    const restApi = new CfnRestApi(this, "Api", {
      name: apiName,
      description: "Switchboard",
      endpointConfiguration: { types: ["REGIONAL"] },
    });
    const authorizers = new ApiAuthorizers(restApi, service, data);
    const { methods, nestedStacks } = addRoutes({ restApi, authorizers, data }, service);
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
      tracingEnabled: true,
      // API Gateway wants the ARN without the `:*` that CloudFormation gives.
      accessLogSetting: {
        destinationArn: Fn.select(0, Fn.split(":*", accessLog.logGroupArn)),
        format: accessLogFormat,
      },
      methodSettings: [{ httpMethod: "*", resourcePath: "/*", loggingLevel: "ERROR", dataTraceEnabled: false }],
    });
    stage.addResourceDependency(logsFor(this));
    this.origin = {
      domainName: `${restApi.ref}.execute-api.${this.region}.${this.urlSuffix}`,
      path: `/${stage.stageName}`,
    };
    Validations.of(this).acknowledge(
      { id: "AwsSolutions-APIG2", reason: "The functions validate, with the schemas the routes declare." },
      {
        id: "AwsSolutions-APIG3",
        reason: "A web ACL costs money when nobody calls; each function limits its callers.",
      },
      {
        id: "AwsSolutions-COG4",
        reason: "Tokens are from the operator's own identity provider, keys from the service.",
      },
    );
  }
}

/** API Gateway writes logs in the name of a role that is a setting of the account, so it stays when the stack goes. */
function logsFor(scope: Construct): CfnAccount {
  const role = new Role(scope, "LogsRole", {
    assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName("service-role/AmazonAPIGatewayPushToCloudWatchLogs")],
  });
  role.applyRemovalPolicy(RemovalPolicy.RETAIN);
  Validations.of(role).acknowledge({
    id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
    reason: "The policy AWS made for exactly this, and the account has one role for all of its APIs.",
  });
  const account = new CfnAccount(scope, "Account", { cloudWatchRoleArn: role.roleArn });
  account.applyRemovalPolicy(RemovalPolicy.RETAIN);
  return account;
}
