import { Fn, Stack } from "aws-cdk-lib";
import { CfnRestApi, CfnStage, Deployment, RestApi as ImportedRestApi } from "aws-cdk-lib/aws-apigateway";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { StackContext } from "../stack-context.ts";
import { type ApiDocumentParts, apiDocument } from "./api-document.ts";
import { methodSettings } from "./throttles.ts";

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

interface RestApiProps {
  readonly context: StackContext;
  readonly document: ApiDocumentParts;
  readonly accessLog: LogGroup;
  /** Setting of the account that lets API Gateway write logs. */
  readonly logging: Construct;
  /** Functions and authorizers of the routes. */
  readonly functions: readonly Construct[];
}

/** A REST API of API Gateway with the routes of a document, and its stage. */
export class RestApi extends Construct {
  /** Domain name and path by which CloudFront reaches the API. */
  readonly origin: { readonly domainName: string; readonly path: string };
  readonly stageArn: string;

  constructor(scope: Construct, id: string, { context, document, accessLog, logging, functions }: RestApiProps) {
    super(scope, id);
    const body = apiDocument(document);
    // With `merge`, parts that the document no longer has would stay. A warning is an operation that was not imported.
    const restApi = new CfnRestApi(this, "Api", {
      body,
      mode: "overwrite",
      failOnWarnings: true,
      parameters: { endpointConfigurationTypes: "REGIONAL" },
    });
    const deployment = new Deployment(this, "Deployment", {
      api: ImportedRestApi.fromRestApiId(this, "Imported", restApi.ref),
    });
    // API Gateway takes a snapshot only when a deployment is created, so a changed document gets a new one.
    deployment.addToLogicalId(body);
    deployment.node.addDependency(restApi, ...functions);
    const stage = new CfnStage(this, "Stage", {
      restApiId: restApi.ref,
      deploymentId: deployment.deploymentId,
      stageName: context.config.stage,
      // API Gateway requires the ARN without the `:*` suffix that CloudFormation returns.
      accessLogSetting: {
        destinationArn: Fn.select(0, Fn.split(":*", accessLog.logGroupArn)),
        format: accessLogFormat,
      },
      methodSettings: methodSettings(context.config.throttle, document.routes),
    });
    stage.node.addDependency(logging);
    const { partition, region, urlSuffix } = Stack.of(this);
    this.stageArn = `arn:${partition}:apigateway:${region}::/restapis/${restApi.ref}/stages/${stage.ref}`;
    this.origin = { domainName: `${restApi.ref}.execute-api.${region}.${urlSuffix}`, path: `/${stage.stageName}` };
  }
}
