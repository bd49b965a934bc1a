import type { Deployed, Deployment } from "../assembly/deployment.ts";
import { arn, region, urlSuffix } from "../assembly/local-account.ts";
import { type FunctionHost, payloadLimit } from "../functions/function-host.ts";
import { FunctionError } from "../functions/function-instance.ts";
import { functionArn, type LambdaFunction } from "../functions/lambda-function.ts";
import { matches } from "../functions/permissions.ts";
import { type Fields, fields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import { Authorizer } from "./authorizer.ts";
import { type Exchange, header, type Origin, send } from "./gateway-request.ts";
import { GatewayError, mappedValue, sendGatewayResponse } from "./gateway-response.ts";
import { proxyEvent, proxyResponse, type RestRequest, requestContextOf } from "./rest-event.ts";
import { attach, match, type RestResource, restResource } from "./rest-routes.ts";

/** A REST API's limit for a request body. */
export const bodyLimit = 10 * 1024 * 1024;

/** A REST API never waits longer than this for its integration, unless a method says less. */
const longestIntegrationMs = 29_000;

type Method = {
  /** Path of its permission: `GET/things/{id}`. */
  permission: string;
  authorizer: Authorizer | undefined;
  authorizerPermission: string | undefined;
  integration: Fields;
  lambda: LambdaFunction | undefined;
  authorizerLambda: LambdaFunction | undefined;
};

/**
 * The app's REST APIs, each stage under the host name and first path segment it has on AWS.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-rest-api.html
 */
export function restApis(deployment: Deployment, host: FunctionHost): Map<string, Origin> {
  const origins = new Map<string, Origin>();
  for (const resource of deployment.resources("AWS::ApiGateway::RestApi")) {
    const api = new RestApi(resource, deployment, host);
    origins.set(api.domainName, (exchange) => api.serve(exchange));
  }
  return origins;
}

class RestApi {
  readonly domainName: string;
  readonly #id: string;
  readonly #host: FunctionHost;
  readonly #root: RestResource<Method>;
  readonly #resourceIds = new Map<RestResource<Method>, string>();
  readonly #binaryTypes: string[];
  readonly #responses: Map<string, Fields>;
  readonly #stages: Map<string, Fields>;
  /** Source ARNs that may invoke a function, by the function's ARN. */
  readonly #permissions = new Map<string, string[]>();

  constructor(api: Deployed, deployment: Deployment, host: FunctionHost) {
    this.#id = api.ref;
    this.domainName = `${api.ref}.execute-api.${region}.${urlSuffix}`;
    this.#host = host;
    this.#binaryTypes = list(api.properties.BinaryMediaTypes).map(String);
    const own = (type: string) =>
      deployment.resources(type).filter(({ properties }) => properties.RestApiId === api.ref);
    this.#responses = new Map(
      own("AWS::ApiGateway::GatewayResponse").map(({ properties }) => [String(properties.ResponseType), properties]),
    );
    this.#stages = new Map(
      own("AWS::ApiGateway::Stage").map(({ ref, properties }) => [ref, fields(properties.Variables)]),
    );
    this.#root = this.#tree(
      String(api.attributes.RootResourceId),
      own("AWS::ApiGateway::Resource"),
      own("AWS::ApiGateway::Method"),
      own("AWS::ApiGateway::Authorizer"),
    );
    for (const { properties } of deployment.resources("AWS::Lambda::Permission")) {
      if (properties.Principal !== "apigateway.amazonaws.com") continue;
      const target = functionArn(String(properties.FunctionName));
      const sources = this.#permissions.get(target) ?? [];
      sources.push(text(properties.SourceArn) ?? "*");
      this.#permissions.set(target, sources);
    }
  }

  /** Answers a request whose first path segment is the stage. */
  async serve(exchange: Exchange): Promise<void> {
    const [, stage = ""] = exchange.path.split("/");
    const path = exchange.path.slice(stage.length + 1) || "/";
    const found = match(this.#root, path);
    const resource = found?.resource;
    const rest: RestRequest = {
      apiId: this.#id,
      stage,
      stageVariables: this.#stages.get(stage) ?? {},
      path,
      resource: resource?.path ?? path,
      resourceId: (resource && this.#resourceIds.get(resource)) ?? "",
      parameters: found?.parameters ?? {},
      domainName: this.domainName,
    };
    const context = requestContextOf(exchange, rest);
    exchange.response.setHeader("x-amzn-requestid", String(context.requestId));
    exchange.response.setHeader("x-amz-apigw-id", String(context.extendedRequestId));
    try {
      const method = resource?.methods.get(exchange.method) ?? resource?.methods.get("ANY");
      if (!method || !this.#stages.has(stage)) throw new GatewayError("MISSING_AUTHENTICATION_TOKEN");
      if (exchange.body.length > bodyLimit) throw new GatewayError("REQUEST_TOO_LARGE");
      if (method.authorizer) {
        this.#requirePermission(
          method.authorizerLambda,
          method.authorizerPermission ?? "",
          "AUTHORIZER_CONFIGURATION_ERROR",
        );
        context.authorizer = await method.authorizer.authorize(exchange, rest, context);
      }
      await this.#integrate(exchange, rest, context, method);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      sendGatewayResponse(exchange, this.#responses, error, context, rest.parameters);
    }
  }

  async #integrate(exchange: Exchange, rest: RestRequest, context: Fields, method: Method): Promise<void> {
    if (method.integration.Type === "MOCK") return sendMock(exchange, rest, context, method.integration);
    const { lambda } = method;
    if (method.integration.Type !== "AWS_PROXY" || !lambda) {
      warn("gateway", `${method.permission}: only AWS_PROXY integrations with Lambda, and MOCK, work here`);
      throw new GatewayError("API_CONFIGURATION_ERROR");
    }
    this.#requirePermission(lambda, `${rest.stage}/${method.permission}`, "API_CONFIGURATION_ERROR");
    if (exchange.body.length > payloadLimit) throw new GatewayError("REQUEST_TOO_LARGE");
    const event = proxyEvent(exchange, rest, context, this.#binaryTypes);
    const limitMs = number(method.integration.TimeoutInMillis, longestIntegrationMs);
    const payload = await inTime(limitMs, this.#host.invoke(lambda, event)).catch((error: unknown) => {
      if (!(error instanceof FunctionError)) throw error;
      throw new GatewayError(error.timedOut ? "INTEGRATION_TIMEOUT" : "INTEGRATION_FAILURE");
    });
    const response = proxyResponse(payload, header(exchange, "accept"), this.#binaryTypes);
    if (!response) {
      warn(lambda.name, `gave API Gateway a malformed response: ${payload.slice(0, 200)}`);
      throw new GatewayError("INTEGRATION_FAILURE");
    }
    send(exchange, response.status, response.headers, response.body);
  }

  #requirePermission(
    lambda: LambdaFunction | undefined,
    source: string,
    otherwise: "API_CONFIGURATION_ERROR" | "AUTHORIZER_CONFIGURATION_ERROR",
  ): void {
    const sourceArn = arn("execute-api", `${this.#id}/${source}`);
    if (lambda && this.#permissions.get(lambda.arn)?.some((pattern) => matches(pattern, sourceArn))) return;
    warn("gateway", `no AWS::Lambda::Permission lets ${sourceArn} call ${lambda?.name ?? "its function"}`);
    throw new GatewayError(otherwise);
  }

  #tree(rootId: string, resources: Deployed[], methods: Deployed[], authorizers: Deployed[]): RestResource<Method> {
    const nodes = new Map<unknown, RestResource<Method>>([[rootId, restResource("/")]]);
    const byId = new Map<unknown, Deployed>(resources.map((resource) => [resource.ref, resource]));
    const node = (id: unknown): RestResource<Method> | undefined => {
      const known = nodes.get(id);
      const { ParentId, PathPart } = byId.get(id)?.properties ?? {};
      const parent = known ? undefined : node(ParentId);
      if (!parent) return known;
      const created = restResource<Method>(`${parent.path === "/" ? "" : parent.path}/${PathPart}`);
      attach(parent, String(PathPart), created);
      nodes.set(id, created);
      this.#resourceIds.set(created, String(id));
      return created;
    };
    const gates = new Map<unknown, { authorizer: Authorizer; lambda: LambdaFunction }>();
    for (const resource of authorizers) {
      const lambda = this.#lambdaOf(resource.properties.AuthorizerUri);
      if (lambda) gates.set(resource.ref, { lambda, authorizer: new Authorizer(resource, lambda, this.#host) });
    }
    for (const { properties } of methods) {
      const resource = node(properties.ResourceId);
      const integration = fields(properties.Integration);
      const gate = properties.AuthorizationType === "CUSTOM" ? gates.get(properties.AuthorizerId) : undefined;
      const httpMethod = String(properties.HttpMethod);
      resource?.methods.set(httpMethod, {
        permission: `${httpMethod === "ANY" ? "*" : httpMethod}${resource.path}`,
        integration,
        lambda: this.#lambdaOf(integration.Uri),
        authorizer: gate?.authorizer,
        authorizerLambda: gate?.lambda,
        authorizerPermission: gate && `authorizers/${properties.AuthorizerId}`,
      });
    }
    return nodes.get(rootId) ?? restResource("/");
  }

  /** The function in `arn:…:apigateway:…:path/2015-03-31/functions/<arn>/invocations`. */
  #lambdaOf(uri: unknown): LambdaFunction | undefined {
    return this.#host.find(/functions\/(arn:[^/]+)\/invocations$/.exec(text(uri) ?? "")?.[1] ?? "");
  }
}

/** A mock integration answers with its first integration response; no template is looked at. */
function sendMock(exchange: Exchange, { parameters }: RestRequest, context: Fields, integration: Fields): void {
  const { StatusCode, ResponseParameters, ResponseTemplates } = fields(list(integration.IntegrationResponses)[0]);
  const headers = Object.entries(fields(ResponseParameters)).flatMap(([target, source]): [string, string][] => {
    const name = /^method\.response\.header\.(.+)$/.exec(target)?.[1];
    const value = mappedValue(String(source), exchange, context, parameters);
    return name && value !== undefined ? [[name, value]] : [];
  });
  send(exchange, number(StatusCode, 200), headers, text(Object.values(fields(ResponseTemplates))[0]) ?? "");
}

/** @throws GatewayError INTEGRATION_TIMEOUT when the work takes longer; it goes on nevertheless, as it would on AWS. */
async function inTime<Value>(limitMs: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new GatewayError("INTEGRATION_TIMEOUT")), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
