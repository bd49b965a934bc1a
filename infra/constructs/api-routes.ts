import { NestedStack, Stack, Validations } from "aws-cdk-lib";
import { CfnMethod, type CfnMethodProps, type CfnRestApi } from "aws-cdk-lib/aws-apigateway";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Route } from "../../shared/api/define-route.ts";
import { isCorsEnabled, preflightHeaders } from "../../shared/http/cors.ts";
import { securityHeaders } from "../../shared/http/security-headers.ts";
import { inLanes } from "../lanes.ts";
import { entryPointOf, kebabCase, notFoundEntryPoint, pascalCase } from "../naming.ts";
import type { DataResources, StackContext, UploadResources } from "../stack-context.ts";
import type { ApiAuthorizers } from "./api-authorizers.ts";
import { ServiceFunction } from "./api-function.ts";
import { ApiPaths } from "./api-paths.ts";
import { zeroRateLimitHeaders } from "./gateway-responses.ts";
import { mockIntegration, proxyIntegration } from "./integration.ts";

/**
 * Number of nested stacks that CloudFormation creates concurrently, and of methods in each of them. A method takes two API
 * calls, and API Gateway accepts ten per second in an account (decision 0049).
 */
const [STACK_LANES, METHOD_LANES] = [4, 1];

export interface ApiResources {
  readonly restApi: CfnRestApi;
  readonly authorizers: ApiAuthorizers;
  readonly data: DataResources;
  readonly uploads: UploadResources;
}

/** Methods and nested stacks that `addRoutes` created. */
export interface AddedRoutes {
  readonly methods: readonly CfnMethodProps[];
  readonly nestedStacks: readonly NestedStack[];
}

/**
 * Adds a method with its own function for each route, and HEAD for each GET. The functions of a resource are in one nested stack. All other paths and
 * methods invoke a function that responds with 404.
 */
export function addRoutes(api: ApiResources, context: StackContext): AddedRoutes {
  const paths = new ApiPaths(api.restApi);
  const methods: CfnMethodProps[] = [];
  const nestedStacks: NestedStack[] = [];
  const methodsByScope = new Map<Construct, CfnMethod[]>();

  const addMethod = (scope: Construct, id: string, method: CfnMethodProps) => {
    const added = new CfnMethod(scope, id, method);
    methods.push(method);
    const others = methodsByScope.get(scope) ?? [];
    methodsByScope.set(scope, others);
    inLanes(others, added, METHOD_LANES);
    if (method.authorizationType !== "NONE") return;
    Validations.of(added).acknowledge({
      id: "AwsSolutions-APIG4",
      reason: "The method is public, or its function verifies the signature of the body.",
    });
  };

  for (const [resource, routes] of routesByResource(context.routes)) {
    // CDK reserves the id `Exports`.
    const stack = new NestedStack(Stack.of(api.restApi), `${pascalCase(resource)}Routes`, {
      description: `Switchboard API: ${resource}`,
    });
    inLanes(nestedStacks, stack, STACK_LANES);
    for (const route of routes) {
      const id = pascalCase(route.id);
      const endpoint = new ServiceFunction(stack, id, {
        context,
        kind: "api",
        name: kebabCase(route.id),
        entry: entryPointOf(route),
        description: route.summary,
        data: api.data,
        route,
        ...(context.usesOf(kebabCase(route.id), route).includes("uploads") && uploadAccess(api.uploads)),
      });
      allowGatewayInvoke(endpoint, api.restApi, `*/${executeApiPattern(route)}`);
      // The construct id is derived from path and method. With the route id, renaming a route would create a second method
      // for the same path before the first is deleted, which API Gateway rejects.
      for (const httpMethod of route.method === "GET" ? ["GET", "HEAD"] : [route.method]) {
        addMethod(stack, `${methodIdPrefix(route.path)}-${httpMethod.toLowerCase()}`, {
          restApiId: api.restApi.ref,
          resourceId: paths.resourceId(route.path),
          httpMethod,
          integration: proxyIntegration(endpoint),
          ...api.authorizers.authorization(route.auth),
        });
      }
    }
  }

  const preflightRoutes = new Map(
    context.routes
      .filter((route) => !route.streaming)
      .filter(isCorsEnabled)
      // The function for paths without a route answers those of users, so that 80 methods less are deployed.
      .filter(({ auth }) => auth !== "jwt")
      .map((route) => [route.path, route]),
  );
  for (const [path, route] of preflightRoutes) {
    addMethod(paths.scopeOf(path), `${methodIdPrefix(path)}-preflight`, {
      restApiId: api.restApi.ref,
      resourceId: paths.resourceId(path),
      httpMethod: "OPTIONS",
      authorizationType: "NONE",
      ...mockIntegration({ ...preflightHeaders(route), ...zeroRateLimitHeaders, ...securityHeaders }),
    });
  }

  const notFound = new ServiceFunction(api.restApi, "RouteNotFound", {
    context,
    kind: "api",
    name: "route-not-found",
    entry: notFoundEntryPoint,
    description: "Responds with 404 to requests without a route",
    reservedConcurrency: context.config.reservedConcurrency.routeNotFound,
    data: api.data,
  });
  allowGatewayInvoke(notFound, api.restApi, "*");
  paths.resourceId("/{proxy+}");
  const pathsWithAny = new Set(context.routes.filter(({ method }) => method === "ANY").map(({ path }) => path));
  for (const [path, resourceId] of paths.all) {
    if (pathsWithAny.has(path)) continue;
    addMethod(paths.scopeOf(path), `${methodIdPrefix(path)}-any`, {
      restApiId: api.restApi.ref,
      resourceId,
      httpMethod: "ANY",
      integration: proxyIntegration(notFound),
      authorizationType: "NONE",
    });
  }
  return { methods, nestedStacks: [...nestedStacks, ...paths.nestedStacks] };
}

/** Returns the IAM statement and environment variable with which a function presigns uploads or stores files. */
function uploadAccess({ bucketName, bucketArn }: UploadResources) {
  return {
    statements: [new PolicyStatement({ actions: ["s3:PutObject"], resources: [`${bucketArn}/*`] })],
    environment: { UPLOAD_BUCKET: bucketName },
  };
}

/** Returns the path part of a method's construct id: `/v1/things/{id}` → `v1-things-{id}`. */
function methodIdPrefix(path: string): string {
  return path.slice(1).replaceAll("/", "-") || "root";
}

/**
 * Groups the routes of the REST API by the first part of their path, `conversations` in `/v1/conversations/{id}`. CloudFormation
 * creates the resources of one nested stack before it deletes those of another, so a route whose method moved between stacks
 * could not be deployed. With the path as key, a route stays in its stack when it is renamed or moved to another group.
 */
function routesByResource(routes: readonly Route[]): Map<string, Route[]> {
  return Map.groupBy(
    routes.filter((route) => !route.streaming),
    ({ path }) => path.split("/").find((part) => /^[a-z]/.test(part) && !/^v\d+$/.test(part)) ?? "root",
  );
}

/**
 * Returns the method and path pattern of a route in `execute-api` ARNs: `POST/v1/things/*`. For a GET route, it covers all
 * methods, because the function also answers HEAD.
 */
function executeApiPattern({ method, path }: Route): string {
  return `${method === "ANY" || method === "GET" ? "*" : method}${path.replaceAll(/\{\w+\+?\}/g, "*")}`;
}

function allowGatewayInvoke(endpoint: ServiceFunction, api: CfnRestApi, requests: string): void {
  endpoint.addPermission("Gateway", {
    principal: new ServicePrincipal("apigateway.amazonaws.com"),
    sourceArn: Stack.of(api).formatArn({ service: "execute-api", resource: api.ref, resourceName: requests }),
  });
}
