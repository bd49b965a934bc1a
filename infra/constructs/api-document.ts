import type { Route } from "../../shared/api/define-route.ts";
import { isCorsEnabled, preflightHeaders } from "../../shared/http/cors.ts";
import { securityHeaders } from "../../shared/http/security-headers.ts";
import { SynthesisError } from "../synthesis-error.ts";
import { gatewayResponses, zeroRateLimitHeaders } from "./gateway-responses.ts";
import { literalHeaders } from "./integration.ts";

/** Parts of the document that name other resources. */
export interface ApiDocumentParts {
  readonly title: string;
  /** Routes of the REST API, without those that stream. */
  readonly routes: readonly Route[];
  /** Security schemes by the kind of credential; routes of other kinds need none. */
  readonly securitySchemes: Readonly<Partial<Record<Route["auth"], object>>>;
  /** Returns the URI that invokes the function of a route. */
  readonly invocationUri: (route: Route) => string;
  /** URI of the function that answers paths and methods without a route. */
  readonly notFoundUri: string;
  /** Role with which API Gateway invokes the functions. */
  readonly credentials: string;
}

type Operations = Record<string, object>;

/**
 * Returns the REST API as an OpenAPI document with the extensions of API Gateway, from which it is imported as a whole: a method
 * with a function for each route, HEAD for each GET, preflight responses, and a function that answers 404 on all other paths
 * and methods. Schemas are left out, because the functions validate.
 * @throws SynthesisError if two routes name the parameter at one position differently
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html
 */
export function apiDocument(parts: ApiDocumentParts): object {
  const { routes, credentials } = parts;
  const used = new Set(routes.map(({ auth }): string => auth));
  const securitySchemes = Object.fromEntries(Object.entries(parts.securitySchemes).filter(([auth]) => used.has(auth)));
  const paths = new Map<string, Operations>();
  /** Adds an operation, and its path with all paths above it. */
  const add = (path: string, method: string, operation: object) => {
    for (let parent = path; parent !== ""; parent = parent.slice(0, parent.lastIndexOf("/"))) {
      if (!paths.has(parent)) paths.set(parent, {});
    }
    Object.assign(paths.get(path) ?? {}, { [method]: { ...operation, ...pathParameters(path) } });
  };
  const proxy = (uri: string) => ({
    responses: { default: { description: "" } },
    "x-amazon-apigateway-integration": {
      type: "aws_proxy",
      httpMethod: "POST",
      uri,
      credentials,
      timeoutInMillis: 29_000,
    },
  });
  for (const route of routes) {
    const security = route.auth in securitySchemes ? { security: [{ [route.auth]: [] }] } : {};
    for (const method of methodsOf(route)) {
      add(route.path, method, { ...proxy(parts.invocationUri(route)), ...security });
    }
  }
  // The function for paths without a route answers preflights of users.
  for (const route of routes.filter(isCorsEnabled).filter(({ auth }) => auth !== "jwt")) {
    add(route.path, "options", preflight(preflightHeaders(route)));
  }
  paths.set("/", {});
  paths.set("/{proxy+}", {});
  for (const [path, operations] of paths) {
    if (!(anyMethod in operations)) add(path, anyMethod, proxy(parts.notFoundUri));
  }
  checkParameters([...paths.keys()]);
  return {
    openapi: "3.0.1",
    info: { title: parts.title, version: "1" },
    paths: Object.fromEntries([...paths].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    components: { securitySchemes },
    // Bodies of these types reach functions in Base64; others are decoded as UTF-8 and lose bytes. CloudFront sends all bodies
    // as the first one.
    "x-amazon-apigateway-binary-media-types": ["application/octet-stream", "multipart/form-data"],
    "x-amazon-apigateway-gateway-responses": gatewayResponses(),
  };
}

const anyMethod = "x-amazon-apigateway-any-method";

/** Returns the fields of a route's operations: HEAD has the function of GET. */
function methodsOf({ method }: Route): string[] {
  if (method === "ANY") return [anyMethod];
  return method === "GET" ? ["get", "head"] : [method.toLowerCase()];
}

/** Returns a mock integration that responds with 204, the given headers and the request id. */
function preflight(headers: Readonly<Record<string, string>>): object {
  const responseParameters = {
    ...literalHeaders("method.response.header", { ...headers, ...zeroRateLimitHeaders, ...securityHeaders }),
    "method.response.header.x-request-id": "context.requestId",
  };
  const names = Object.keys(responseParameters).map((name) => name.slice("method.response.header.".length));
  return {
    responses: {
      204: {
        description: "",
        headers: Object.fromEntries(names.map((name) => [name, { schema: { type: "string" } }])),
      },
    },
    "x-amazon-apigateway-integration": {
      type: "mock",
      requestTemplates: { "application/json": '{"statusCode":204}' },
      responses: { default: { statusCode: "204", responseParameters } },
    },
  };
}

function pathParameters(path: string): object {
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name);
  if (names.length === 0) return {};
  return { parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })) };
}

/** Checks that the parameters below a path have the same name, because API Gateway rejects a second name only at deployment. */
function checkParameters(paths: readonly string[]): void {
  const parameters = new Map<string, string>();
  for (const path of paths) {
    const [, parent = "", parameter] = /^(.*)\/(\{\w+\})$/.exec(path) ?? [];
    if (!parameter) continue;
    const existing = parameters.get(parent) ?? parameter;
    parameters.set(parent, parameter);
    if (existing === parameter) continue;
    throw new SynthesisError(
      `Conflicting path parameters below ${parent}: ${existing} and ${parameter}. Use one name.`,
    );
  }
}
