import { Stack } from "aws-cdk-lib";
import type { CfnMethod } from "aws-cdk-lib/aws-apigateway";
import type { IFunction } from "aws-cdk-lib/aws-lambda";

/** The address at which API Gateway invokes a function. */
export function invocationUri(handler: IFunction): string {
  const { partition, region } = Stack.of(handler);
  return `arn:${partition}:apigateway:${region}:lambda:path/2015-03-31/functions/${handler.functionArn}/invocations`;
}

/** Headers as API Gateway wants constants written: in single quotes, which a value cannot contain itself. */
export function literalHeaders(prefix: string, headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => !value.includes("'"))
      .map(([name, value]) => [`${prefix}.${name}`, `'${value}'`]),
  );
}

/** Answers without anybody behind it: 204, with these headers and the request's id. */
export function answerWith(headers: Readonly<Record<string, string>>): {
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

/** Hands requests over to a function as they are. */
export function proxyTo(handler: IFunction): CfnMethod.IntegrationProperty {
  return {
    type: "AWS_PROXY",
    integrationHttpMethod: "POST",
    uri: invocationUri(handler),
    timeoutInMillis: 29_000,
  };
}
