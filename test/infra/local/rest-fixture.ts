import type { Resources } from "./fixture.ts";

type MethodOptions = { authorizer?: string; hasPermission?: boolean; integration?: object };

/** Builds the resources of one REST API, stage `live`. */
export class RestFixture {
  readonly resources: Resources = {
    Api: { Type: "AWS::ApiGateway::RestApi", Properties: { Name: "api", BinaryMediaTypes: ["image/*"] } },
    Stage: { Type: "AWS::ApiGateway::Stage", Properties: { RestApiId: { Ref: "Api" }, StageName: "live" } },
  };
  #count = 0;

  /** Adds a method and the resources of its path. */
  method(httpMethod: string, path: string, functionId: string, options: MethodOptions = {}): this {
    const id = `Method${++this.#count}`;
    const arn = { "Fn::GetAtt": [functionId, "Arn"] };
    this.resources[id] = {
      Type: "AWS::ApiGateway::Method",
      Properties: {
        RestApiId: { Ref: "Api" },
        ResourceId: this.#resource(path),
        HttpMethod: httpMethod,
        AuthorizationType: options.authorizer ? "CUSTOM" : "NONE",
        ...(options.authorizer && { AuthorizerId: { Ref: options.authorizer } }),
        Integration: {
          Type: "AWS_PROXY",
          IntegrationHttpMethod: "POST",
          Uri: {
            "Fn::Join": ["", ["arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/", arn, "/invocations"]],
          },
          ...options.integration,
        },
      },
    };
    const source = `${httpMethod === "ANY" ? "*" : httpMethod}${path.replace(/\{[^}]+\}/g, "*")}`;
    if (options.hasPermission !== false) this.#permission(`${id}Permission`, functionId, `/live/${source}`);
    return this;
  }

  authorizer(id: string, functionId: string, properties: object): this {
    const arn = { "Fn::GetAtt": [functionId, "Arn"] };
    this.resources[id] = {
      Type: "AWS::ApiGateway::Authorizer",
      Properties: {
        RestApiId: { Ref: "Api" },
        Name: id,
        AuthorizerUri: {
          "Fn::Join": ["", ["arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/", arn, "/invocations"]],
        },
        ...properties,
      },
    };
    this.#permission(`${id}Permission`, functionId, `/authorizers/*`);
    return this;
  }

  gatewayResponse(ResponseType: string, properties: object): this {
    this.resources[`Response${ResponseType}`] = {
      Type: "AWS::ApiGateway::GatewayResponse",
      Properties: { RestApiId: { Ref: "Api" }, ResponseType, ...properties },
    };
    return this;
  }

  #permission(id: string, functionId: string, source: string): void {
    this.resources[id] = {
      Type: "AWS::Lambda::Permission",
      Properties: {
        Action: "lambda:InvokeFunction",
        FunctionName: { "Fn::GetAtt": [functionId, "Arn"] },
        Principal: "apigateway.amazonaws.com",
        SourceArn: { "Fn::Sub": `arn:aws:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${Api}${source}` },
      },
    };
  }

  #resource(path: string): unknown {
    if (path === "/") return { "Fn::GetAtt": ["Api", "RootResourceId"] };
    const id = `Resource${path.replace(/\W/g, (character) => character.charCodeAt(0).toString(16))}`;
    const end = path.lastIndexOf("/");
    this.resources[id] ??= {
      Type: "AWS::ApiGateway::Resource",
      Properties: {
        RestApiId: { Ref: "Api" },
        ParentId: this.#resource(path.slice(0, end) || "/"),
        PathPart: path.slice(end + 1),
      },
    };
    return { Ref: id };
  }
}
