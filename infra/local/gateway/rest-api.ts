import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { arn, region, urlSuffix } from "../assembly/local-account.ts";
import { type FunctionHost, maxPayloadBytes } from "../functions/function-host.ts";
import { FunctionError } from "../functions/function-instance.ts";
import { functionArn, type LambdaFunction } from "../functions/lambda-function.ts";
import { matchesWildcard } from "../functions/permissions.ts";
import { type Fields, fields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import { Authorizer } from "./authorizer.ts";
import { type GatewayRequest, header, type OriginHandler, sendResponse } from "./gateway-request.ts";
import { evaluateMapping, GatewayError, sendGatewayResponse } from "./gateway-response.ts";
import { buildRequestContext, proxyEvent, proxyResponse, type RestRequest } from "./rest-event.ts";
import { attach, matchPath, type RestResource, restResource } from "./rest-routes.ts";

/**
 * Limit of API Gateway for the body of a request to a REST API (413 above it). The limits of the service, in
 * `shared/http/steps.ts` and the contracts, are lower.
 */
export const maxBodyBytes = 10 * 1024 * 1024;

/** Maximum and default integration timeout of a REST API. */
const maxIntegrationTimeoutMs = 29_000;

interface Method {
  /** Method and path as in the source ARN of the Lambda permission: `GET/things/{id}`. */
  permission: string;
  authorizer: Authorizer | undefined;
  authorizerPermission: string | undefined;
  integration: Fields;
  lambda: LambdaFunction | undefined;
  authorizerLambda: LambdaFunction | undefined;
}

/**
 * Returns an origin by host name for each REST API of the app. As on AWS, the first path segment is the stage.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-rest-api.html
 */
export function restApis(deployment: Deployment, host: FunctionHost): Map<string, OriginHandler> {
  const origins = new Map<string, OriginHandler>();
  for (const resource of deployment.resources("AWS::ApiGateway::RestApi")) {
    const api = new RestApi(resource, deployment, host);
    origins.set(api.domainName, (request) => api.serve(request));
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
  /** Patterns of source ARNs with permission to invoke a function, by function ARN. */
  readonly #permissions = new Map<string, string[]>();

  constructor(api: DeployedResource, deployment: Deployment, host: FunctionHost) {
    this.#id = api.ref;
    this.domainName = `${api.ref}.execute-api.${region}.${urlSuffix}`;
    this.#host = host;
    this.#binaryTypes = list(api.properties.BinaryMediaTypes).map(String);
    const resourcesOfApi = (type: string) =>
      deployment.resources(type).filter(({ properties }) => properties.RestApiId === api.ref);
    this.#responses = new Map(
      resourcesOfApi("AWS::ApiGateway::GatewayResponse").map(({ properties }) => [
        String(properties.ResponseType),
        properties,
      ]),
    );
    this.#stages = new Map(
      resourcesOfApi("AWS::ApiGateway::Stage").map(({ ref, properties }) => [ref, fields(properties.Variables)]),
    );
    this.#root = this.#buildResourceTree(
      String(api.attributes.RootResourceId),
      resourcesOfApi("AWS::ApiGateway::Resource"),
      resourcesOfApi("AWS::ApiGateway::Method"),
      resourcesOfApi("AWS::ApiGateway::Authorizer"),
    );
    for (const { properties } of deployment.resources("AWS::Lambda::Permission")) {
      if (properties.Principal !== "apigateway.amazonaws.com") continue;
      const target = functionArn(String(properties.FunctionName));
      const sources = this.#permissions.get(target) ?? [];
      sources.push(text(properties.SourceArn) ?? "*");
      this.#permissions.set(target, sources);
    }
  }

  /** Handles a request. Its first path segment names the stage. */
  async serve(request: GatewayRequest): Promise<void> {
    const [, stage = ""] = request.path.split("/");
    const path = request.path.slice(stage.length + 1) || "/";
    const matched = matchPath(this.#root, path);
    const resource = matched?.resource;
    const rest: RestRequest = {
      apiId: this.#id,
      stage,
      stageVariables: this.#stages.get(stage) ?? {},
      path,
      resource: resource?.path ?? path,
      resourceId: (resource && this.#resourceIds.get(resource)) ?? "",
      parameters: matched?.parameters ?? {},
      domainName: this.domainName,
    };
    const context = buildRequestContext(request, rest);
    request.response.setHeader("x-amzn-requestid", String(context.requestId));
    request.response.setHeader("x-amz-apigw-id", String(context.extendedRequestId));
    try {
      const method = resource?.methods.get(request.method) ?? resource?.methods.get("ANY");
      if (!method || !this.#stages.has(stage)) throw new GatewayError("MISSING_AUTHENTICATION_TOKEN");
      if (request.body.length > maxBodyBytes) throw new GatewayError("REQUEST_TOO_LARGE");
      if (method.authorizer) {
        this.#requirePermission(
          method.authorizerLambda,
          method.authorizerPermission ?? "",
          "AUTHORIZER_CONFIGURATION_ERROR",
        );
        context.authorizer = await method.authorizer.authorize(request, rest, context);
      }
      await this.#integrate(request, rest, context, method);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      sendGatewayResponse(request, this.#responses, error, context, rest.parameters);
    }
  }

  async #integrate(request: GatewayRequest, rest: RestRequest, context: Fields, method: Method): Promise<void> {
    if (method.integration.Type === "MOCK") return sendMock(request, rest, context, method.integration);
    const { lambda } = method;
    if (method.integration.Type !== "AWS_PROXY" || !lambda) {
      warn("gateway", `${method.permission}: only AWS_PROXY (Lambda) and MOCK integrations are supported locally`);
      throw new GatewayError("API_CONFIGURATION_ERROR");
    }
    this.#requirePermission(lambda, `${rest.stage}/${method.permission}`, "API_CONFIGURATION_ERROR");
    const event = proxyEvent(request, rest, context, this.#binaryTypes);
    // Base64 makes a binary body a third longer.
    if (String(event.body ?? "").length > maxPayloadBytes) throw new GatewayError("REQUEST_TOO_LARGE");
    const timeoutMs = number(method.integration.TimeoutInMillis, maxIntegrationTimeoutMs);
    const payload = await withTimeout(timeoutMs, this.#host.invoke(lambda, event)).catch((error: unknown) => {
      if (!(error instanceof FunctionError)) throw error;
      throw new GatewayError(error.timedOut ? "INTEGRATION_TIMEOUT" : "INTEGRATION_FAILURE");
    });
    const response = proxyResponse(payload, header(request, "accept"), this.#binaryTypes);
    if (!response) {
      warn(lambda.name, `malformed proxy response: ${payload.slice(0, 200)}`);
      throw new GatewayError("INTEGRATION_FAILURE");
    }
    sendResponse(request, response.status, response.headers, response.body);
  }

  #requirePermission(
    lambda: LambdaFunction | undefined,
    source: string,
    errorType: "API_CONFIGURATION_ERROR" | "AUTHORIZER_CONFIGURATION_ERROR",
  ): void {
    const sourceArn = arn("execute-api", `${this.#id}/${source}`);
    if (lambda && this.#permissions.get(lambda.arn)?.some((pattern) => matchesWildcard(pattern, sourceArn))) return;
    warn("gateway", `no AWS::Lambda::Permission allows ${sourceArn} to invoke ${lambda?.name ?? "its function"}`);
    throw new GatewayError(errorType);
  }

  #buildResourceTree(
    rootId: string,
    resources: DeployedResource[],
    methods: DeployedResource[],
    authorizers: DeployedResource[],
  ): RestResource<Method> {
    const nodes = new Map<unknown, RestResource<Method>>([[rootId, restResource("/")]]);
    const byId = new Map<unknown, DeployedResource>(resources.map((resource) => [resource.ref, resource]));
    const node = (id: unknown): RestResource<Method> | undefined => {
      const existing = nodes.get(id);
      const { ParentId, PathPart } = byId.get(id)?.properties ?? {};
      const parent = existing ? undefined : node(ParentId);
      if (!parent) return existing;
      const created = restResource<Method>(`${parent.path === "/" ? "" : parent.path}/${PathPart}`);
      attach(parent, String(PathPart), created);
      nodes.set(id, created);
      this.#resourceIds.set(created, String(id));
      return created;
    };
    const authorizersById = new Map<unknown, { authorizer: Authorizer; lambda: LambdaFunction }>();
    for (const resource of authorizers) {
      const lambda = this.#findLambda(resource.properties.AuthorizerUri);
      if (lambda)
        authorizersById.set(resource.ref, { lambda, authorizer: new Authorizer(resource, lambda, this.#host) });
    }
    for (const { properties } of methods) {
      const resource = node(properties.ResourceId);
      const integration = fields(properties.Integration);
      const binding =
        properties.AuthorizationType === "CUSTOM" ? authorizersById.get(properties.AuthorizerId) : undefined;
      const httpMethod = String(properties.HttpMethod);
      resource?.methods.set(httpMethod, {
        permission: `${httpMethod === "ANY" ? "*" : httpMethod}${resource.path}`,
        integration,
        lambda: this.#findLambda(integration.Uri),
        authorizer: binding?.authorizer,
        authorizerLambda: binding?.lambda,
        authorizerPermission: binding && `authorizers/${properties.AuthorizerId}`,
      });
    }
    return nodes.get(rootId) ?? restResource("/");
  }

  /** Returns the function in an integration URI: `arn:…:apigateway:…:path/2015-03-31/functions/<arn>/invocations`. */
  #findLambda(uri: unknown): LambdaFunction | undefined {
    return this.#host.find(/functions\/(arn:[^/]+)\/invocations$/.exec(text(uri) ?? "")?.[1] ?? "");
  }
}

/** Sends the first response of a mock integration. Request templates are ignored. */
function sendMock(request: GatewayRequest, { parameters }: RestRequest, context: Fields, integration: Fields): void {
  const { StatusCode, ResponseParameters, ResponseTemplates } = fields(list(integration.IntegrationResponses)[0]);
  const headers = Object.entries(fields(ResponseParameters)).flatMap(([target, source]): [string, string][] => {
    const name = /^method\.response\.header\.(.+)$/.exec(target)?.[1];
    const value = evaluateMapping(String(source), request, context, parameters);
    return name && value !== undefined ? [[name, value]] : [];
  });
  sendResponse(request, number(StatusCode, 200), headers, text(Object.values(fields(ResponseTemplates))[0]) ?? "");
}

/**
 * Waits for `work` up to a timeout.
 * @throws GatewayError `INTEGRATION_TIMEOUT`; the work itself continues, as on AWS
 */
async function withTimeout<Value>(timeoutMs: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new GatewayError("INTEGRATION_TIMEOUT")), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
