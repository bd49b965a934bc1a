import { Stack } from "aws-cdk-lib";
import type { CfnMethod } from "aws-cdk-lib/aws-apigateway";
import type { IFunction } from "aws-cdk-lib/aws-lambda";

/** Returns the integration URI by which API Gateway invokes a function. */
export function invocationUri(handler: IFunction): string {
  const { partition, region } = Stack.of(handler);
  return `arn:${partition}:apigateway:${region}:lambda:path/2015-03-31/functions/${handler.functionArn}/invocations`;
}

/** Converts headers to API Gateway literals, which are in single quotes. Omits values that contain a single quote. */
export function literalHeaders(prefix: string, headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => !value.includes("'"))
      .map(([name, value]) => [`${prefix}.${name}`, `'${value}'`]),
  );
}

/** Returns a mock integration that responds with 204, the given headers and the request id. */
export function mockIntegration(headers: Readonly<Record<string, string>>): {
  integration: CfnMethod.IntegrationProperty;
  methodResponses: CfnMethod.MethodResponseProperty[];
} {
  const responseParameters = {
    ...literalHeaders("method.response.header", headers),
    "method.response.header.x-request-id": "context.requestId",
  };
  return {
    integration: {
      type: "MOCK",
      requestTemplates: { "application/json": '{"statusCode":204}' },
      integrationResponses: [{ statusCode: "204", responseParameters }],
    },
    methodResponses: [
      {
        statusCode: "204",
        responseParameters: Object.fromEntries(Object.keys(responseParameters).map((name) => [name, true])),
      },
    ],
  };
}

export function proxyIntegration(handler: IFunction): CfnMethod.IntegrationProperty {
  return {
    type: "AWS_PROXY",
    integrationHttpMethod: "POST",
    uri: invocationUri(handler),
    timeoutInMillis: 29_000,
  };
}
