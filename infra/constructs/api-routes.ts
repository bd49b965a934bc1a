import { NestedStack, Stack, Validations } from "aws-cdk-lib";
import { CfnMethod, type CfnMethodProps, type CfnRestApi } from "aws-cdk-lib/aws-apigateway";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Route } from "../../shared/api/define-route.ts";
import { isCrossOrigin, preflightHeaders } from "../../shared/http/cross-origin.ts";
import { securityHeaders } from "../../shared/http/security-headers.ts";
import { entryOf, kebabCase, notFoundEntry, pascalCase } from "../naming.ts";
import type { Service, ServiceData } from "../stack-context.ts";
import type { ApiAuthorizers } from "./api-authorizers.ts";
import { ServiceFunction } from "./api-function.ts";
import { ApiPaths } from "./api-paths.ts";
import { noAllowance } from "./gateway-responses.ts";
import { accessOf } from "./grants.ts";
import { answerWith, proxyTo } from "./integration.ts";

/** What routes are added to. */
export interface Api {
  readonly restApi: CfnRestApi;
  readonly authorizers: ApiAuthorizers;
  readonly data: ServiceData;
}

/** The routes as they ended up in the API. */
export interface AddedRoutes {
  readonly methods: readonly CfnMethodProps[];
  readonly nestedStacks: readonly NestedStack[];
}

/**
 * Puts a method into the API for each route, with a function of its own behind it. The functions of a group live in a
 * nested stack; paths that lead nowhere lead to the one function that says so.
 */
export function addRoutes(api: Api, service: Service): AddedRoutes {
  const paths = new ApiPaths(api.restApi);
  const methods: CfnMethodProps[] = [];
  const nestedStacks: NestedStack[] = [];

  const addMethod = (scope: Construct, id: string, method: CfnMethodProps) => {
    const added = new CfnMethod(scope, id, method);
    methods.push(method);
    if (method.authorizationType !== "NONE") return;
    Validations.of(added).acknowledge({ id: "AwsSolutions-APIG4", reason: "Open by design: it needs no caller." });
  };

  for (const [group, routes] of groupsOf(service.routes)) {
    const stack = new NestedStack(Stack.of(api.restApi), pascalCase(group), {
      description: `Switchboard API: ${group}`,
    });
    nestedStacks.push(stack);
    for (const route of routes) {
      const id = pascalCase(route.id);
      const endpoint = new ServiceFunction(stack, id, {
        service,
        kind: "api",
        name: kebabCase(route.id),
        entry: entryOf(route),
        description: route.summary,
        data: api.data,
        access: accessOf(route.method),
      });
      letGatewayInvoke(endpoint, api.restApi, `*/${requestsOf(route)}`);
      // Named for its place, which takes one method: a route that is renamed must not seem to bring a second.
      addMethod(stack, `${methodPlace(route.path)}-${route.method.toLowerCase()}`, {
        restApiId: api.restApi.ref,
        resourceId: paths.resourceId(route.path),
        httpMethod: route.method,
        integration: proxyTo(endpoint),
        ...api.authorizers.authorization(route.auth),
      });
    }
  }

  for (const path of new Set(service.routes.filter(servesPages).map(({ path }) => path))) {
    addMethod(paths, `${methodPlace(path)}-preflight`, {
      restApiId: api.restApi.ref,
      resourceId: paths.resourceId(path),
      httpMethod: "OPTIONS",
      authorizationType: "NONE",
      ...answerWith({ ...preflightHeaders, ...noAllowance, ...securityHeaders }),
    });
  }

  const notFound = new ServiceFunction(api.restApi, "RouteNotFound", {
    service,
    kind: "api",
    name: "route-not-found",
    entry: notFoundEntry,
    description: "Answer 404 where no route is",
    data: api.data,
    access: "read",
  });
  letGatewayInvoke(notFound, api.restApi, "*");
  paths.resourceId("/{proxy+}");
  const answered = new Set(service.routes.filter(({ method }) => method === "ANY").map(({ path }) => path));
  for (const [path, resourceId] of paths.all) {
    if (answered.has(path)) continue;
    addMethod(paths, `${methodPlace(path)}-any`, {
      restApiId: api.restApi.ref,
      resourceId,
      httpMethod: "ANY",
      integration: proxyTo(notFound),
      authorizationType: "NONE",
    });
  }
  return { methods, nestedStacks };
}

/** `/v1/things/{id}` → `v1-things-{id}`: the part of a method's construct id that says where it is. */
function methodPlace(path: string): string {
  return path.slice(1).replaceAll("/", "-") || "root";
}

/** Whether pages of other origins call a route, so that browsers ask beforehand. */
function servesPages(route: Route): boolean {
  return !route.streaming && isCrossOrigin(route);
}

function groupsOf(routes: readonly Route[]): Map<string, Route[]> {
  return Map.groupBy(
    routes.filter((route) => !route.streaming),
    (route) => route.group,
  );
}

/** A route's requests, as permissions name them: `GET/v1/things/*`. */
function requestsOf({ method, path }: Route): string {
  return `${method === "ANY" ? "*" : method}${path.replaceAll(/\{\w+\+?\}/g, "*")}`;
}

function letGatewayInvoke(endpoint: ServiceFunction, api: CfnRestApi, requests: string): void {
  endpoint.addPermission("Gateway", {
    principal: new ServicePrincipal("apigateway.amazonaws.com"),
    sourceArn: Stack.of(api).formatArn({ service: "execute-api", resource: api.ref, resourceName: requests }),
  });
}
