import type { Resources } from "./fixture.ts";

type MethodOptions = { authorizer?: string; hasPermission?: boolean; integration?: object };

const invocationUri = (functionId: string) => ({
  "Fn::Join": [
    "",
    [
      "arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/",
      { "Fn::GetAtt": [functionId, "Arn"] },
      "/invocations",
    ],
  ],
});

const credentials = { "Fn::GetAtt": ["InvokeRole", "Arn"] };

/** Builds the resources of one REST API, stage `live`. */
export class RestFixture {
  readonly #paths: Record<string, Record<string, object>> = {};
  readonly #authorizers: Record<string, object> = {};
  readonly #responses: Record<string, object> = {};

  get resources(): Resources {
    const Body = {
      openapi: "3.0.1",
      info: { title: "api", version: "1" },
      paths: this.#paths,
      components: { securitySchemes: this.#authorizers },
      "x-amazon-apigateway-binary-media-types": ["image/*"],
      "x-amazon-apigateway-gateway-responses": this.#responses,
    };
    const invoke = { Effect: "Allow", Action: "lambda:InvokeFunction", Resource: "*" };
    return {
      Api: { Type: "AWS::ApiGateway::RestApi", Properties: { Body } },
      Stage: { Type: "AWS::ApiGateway::Stage", Properties: { RestApiId: { Ref: "Api" }, StageName: "live" } },
      InvokeRole: {
        Type: "AWS::IAM::Role",
        Properties: {
          AssumeRolePolicyDocument: {
            Statement: [
              { Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "apigateway.amazonaws.com" } },
            ],
          },
          Policies: [{ PolicyName: "invoke", PolicyDocument: { Statement: [invoke] } }],
        },
      },
    };
  }

  method(httpMethod: string, path: string, functionId: string, options: MethodOptions = {}): this {
    const field = httpMethod === "ANY" ? "x-amazon-apigateway-any-method" : httpMethod.toLowerCase();
    const operations = this.#paths[path] ?? {};
    this.#paths[path] = operations;
    operations[field] = {
      ...(options.authorizer && { security: [{ [options.authorizer]: [] }] }),
      "x-amazon-apigateway-integration": {
        type: "aws_proxy",
        httpMethod: "POST",
        uri: invocationUri(functionId),
        ...(options.hasPermission !== false && { credentials }),
        ...options.integration,
      },
    };
    return this;
  }

  authorizer(id: string, functionId: string, definition: object): this {
    this.#authorizers[id] = {
      type: "apiKey",
      "x-amazon-apigateway-authorizer": {
        authorizerUri: invocationUri(functionId),
        authorizerCredentials: credentials,
        ...definition,
      },
    };
    return this;
  }

  gatewayResponse(responseType: string, response: object): this {
    this.#responses[responseType] = response;
    return this;
  }
}
