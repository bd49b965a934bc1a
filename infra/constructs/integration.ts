import { Stack } from "aws-cdk-lib";
import type { CfnMethod } from "aws-cdk-lib/aws-apigateway";
import type { IFunction } from "aws-cdk-lib/aws-lambda";

/** The address at which API Gateway invokes a function. */
export function invocationUri(handler: IFunction): string {
  const { partition, region } = Stack.of(handler);
  return `arn:${partition}:apigateway:${region}:lambda:path/2015-03-31/functions/${handler.functionArn}/invocations`;
}

/** Hands requests over to a function as they are. */
export function proxyTo(handler: IFunction): CfnMethod.IntegrationProperty {
  return {
    type: "AWS_PROXY",
    integrationHttpMethod: "POST",
    uri: invocationUri(handler),
    timeoutInMillis: 29_000,
  };
}
