import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { region, stableId, urlSuffix } from "../assembly/local-account.ts";
import { type FunctionHost, maxPayloadBytes } from "../functions/function-host.ts";
import { FunctionError } from "../functions/function-instance.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { evaluatePolicy, type Statement, statementsOfRole } from "../functions/permissions.ts";
import { type Fields, fields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import { Authorizer } from "./authorizer.ts";
import { type GatewayRequest, header, type OriginHandler, sendResponse } from "./gateway-request.ts";
import { evaluateMapping, GatewayError, sendGatewayResponse } from "./gateway-response.ts";
import { buildRequestContext, proxyEvent, proxyResponse, type RestRequest } from "./rest-event.ts";
import { childOf, matchPath, type RestResource, restResource } from "./rest-routes.ts";

/**
 * Limit of API Gateway for the body of a request to a REST API (413 above it). The limits of the service, in
 * `shared/http/steps.ts` and the contracts, are lower.
 */
export const maxBodyBytes = 10 * 1024 * 1024;

/** Maximum and default integration timeout of a REST API. */
const maxIntegrationTimeoutMs = 29_000;

/** A function, and the statements of the role with which the API invokes it. */
interface Target {
  lambda: LambdaFunction | undefined;
  statements: readonly Statement[];
}

interface Method {
  integration: Fields;
  target: Target;
  authorizer: { authorizer: Authorizer; target: Target } | undefined;
}

/** Methods of a path in an OpenAPI document, by the name of their field. */
const methodFields: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"].map((method) => [method.toLowerCase(), method]),
  ),
  "x-amazon-apigateway-any-method": "ANY",
};

/**
 * Returns an origin by host name for each REST API of the app, which its property `Body` describes. As on AWS, the first path
 * segment is the stage.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html
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
  readonly #root = restResource<Method>("/");
  readonly #binaryTypes: string[];
  readonly #responses: Fields;
  readonly #stages: Set<string>;
  /** Statements of the roles of the app, by ARN of the role. */
  readonly #roles: Map<unknown, readonly Statement[]>;

  constructor(api: DeployedResource, deployment: Deployment, host: FunctionHost) {
    this.#id = api.ref;
    this.domainName = `${api.ref}.execute-api.${region}.${urlSuffix}`;
    this.#host = host;
    const document = fields(api.properties.Body);
    this.#binaryTypes = list(document["x-amazon-apigateway-binary-media-types"]).map(String);
    this.#responses = fields(document["x-amazon-apigateway-gateway-responses"]);
    this.#stages = new Set(
      deployment
        .resources("AWS::ApiGateway::Stage")
        .filter(({ properties }) => properties.RestApiId === api.ref)
        .map(({ ref }) => ref),
    );
    this.#roles = new Map(
      deployment
        .resources("AWS::IAM::Role")
        .filter(({ properties }) => JSON.stringify(properties).includes("apigateway.amazonaws.com"))
        .map((role) => [role.attributes.Arn, statementsOfRole(role, deployment)]),
    );
    this.#addMethods(document);
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
      path,
      resource: resource?.path ?? path,
      resourceId: resource ? stableId(`${this.#id}${resource.path}`, 6) : "",
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
        requirePermission(method.authorizer.target, "AUTHORIZER_CONFIGURATION_ERROR");
        context.authorizer = await method.authorizer.authorizer.authorize(request, rest, context);
      }
      await this.#integrate(request, rest, context, method);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      sendGatewayResponse(request, this.#responses, error, context, rest.parameters);
    }
  }

  async #integrate(request: GatewayRequest, rest: RestRequest, context: Fields, method: Method): Promise<void> {
    const type = text(method.integration.type)?.toLowerCase();
    if (type === "mock") return sendMock(request, rest, context, method.integration);
    const { lambda } = method.target;
    if (type !== "aws_proxy" || !lambda) {
      warn("gateway", `${rest.resource}: only aws_proxy (Lambda) and mock integrations are supported locally`);
      throw new GatewayError("API_CONFIGURATION_ERROR");
    }
    requirePermission(method.target, "API_CONFIGURATION_ERROR");
    const event = proxyEvent(request, rest, context, this.#binaryTypes);
    // Base64 makes a binary body a third longer.
    if (String(event.body ?? "").length > maxPayloadBytes) throw new GatewayError("REQUEST_TOO_LARGE");
    const timeoutMs = number(method.integration.timeoutInMillis, maxIntegrationTimeoutMs);
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

  #addMethods(document: Fields): void {
    const schemes = fields(fields(document.components).securitySchemes);
    const authorizers = new Map(
      Object.entries(schemes).flatMap(([name, scheme]) => {
        const definition = fields(fields(scheme)["x-amazon-apigateway-authorizer"]);
        const target = this.#target(definition.authorizerUri, definition.authorizerCredentials);
        if (!target.lambda) return [];
        return [[name, { target, authorizer: new Authorizer(definition, target.lambda, this.#host) }] as const];
      }),
    );
    for (const [path, operations] of Object.entries(fields(document.paths))) {
      const resource = this.#resource(path);
      for (const [field, value] of Object.entries(fields(operations))) {
        const operation = fields(value);
        const integration = fields(operation["x-amazon-apigateway-integration"]);
        const [scheme = ""] = Object.keys(fields(list(operation.security)[0]));
        resource.methods.set(methodFields[field] ?? "", {
          integration,
          target: this.#target(integration.uri, integration.credentials),
          authorizer: authorizers.get(scheme),
        });
      }
    }
  }

  /** Returns the resource at a path, which it creates with those above it. */
  #resource(path: string): RestResource<Method> {
    let resource = this.#root;
    for (const part of path.split("/").filter(Boolean)) resource = childOf(resource, part);
    return resource;
  }

  #target(uri: unknown, role: unknown): Target {
    return { lambda: this.#findLambda(uri), statements: this.#roles.get(role) ?? [] };
  }

  /** Returns the function in an integration URI: `arn:…:apigateway:…:path/2015-03-31/functions/<arn>/invocations`. */
  #findLambda(uri: unknown): LambdaFunction | undefined {
    return this.#host.find(/functions\/(arn:[^/]+)\/invocations$/.exec(text(uri) ?? "")?.[1] ?? "");
  }
}

/** Sends the first response of a mock integration. Request templates are ignored. */
function sendMock(request: GatewayRequest, { parameters }: RestRequest, context: Fields, integration: Fields): void {
  const { statusCode, responseParameters, responseTemplates } = fields(Object.values(fields(integration.responses))[0]);
  const headers = Object.entries(fields(responseParameters)).flatMap(([target, source]): [string, string][] => {
    const name = /^method\.response\.header\.(.+)$/.exec(target)?.[1];
    const value = evaluateMapping(String(source), request, context, parameters);
    return name && value !== undefined ? [[name, value]] : [];
  });
  sendResponse(request, number(statusCode, 200), headers, text(Object.values(fields(responseTemplates))[0]) ?? "");
}

function requirePermission(
  { lambda, statements }: Target,
  errorType: "API_CONFIGURATION_ERROR" | "AUTHORIZER_CONFIGURATION_ERROR",
): void {
  const request = { action: "lambda:InvokeFunction", resource: lambda?.arn ?? "" };
  if (lambda && evaluatePolicy(statements, request) === "allow") return;
  warn("gateway", `no role of the API allows it to invoke ${lambda?.name ?? "its function"}`);
  throw new GatewayError(errorType);
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
