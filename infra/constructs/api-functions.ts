import { NestedStack } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { Route } from "../../shared/api/define-route.ts";
import { entryPointOf, kebabCase, notFoundEntryPoint, pascalCase } from "../naming.ts";
import type { DataResources, StackContext } from "../stack-context.ts";
import { ServiceFunction } from "./api-function.ts";

/** Name of the function for requests without a route. */
export const notFoundName = "route-not-found";

/** Functions of the REST API: one for each route, those of a resource in one nested stack. */
export class ApiFunctions extends Construct {
  constructor(scope: Construct, context: StackContext, routes: readonly Route[], data: DataResources) {
    super(scope, "Functions");
    for (const [resource, ofResource] of routesByResource(routes)) {
      // CDK reserves the id `Exports`.
      const stack = new NestedStack(this, `${pascalCase(resource)}Routes`, {
        description: `Switchboard API: ${resource}`,
      });
      for (const route of ofResource) {
        new ServiceFunction(stack, pascalCase(route.id), {
          context,
          kind: "api",
          name: kebabCase(route.id),
          entry: entryPointOf(route),
          description: route.summary,
          data,
        });
      }
    }
  }
}

/** Adds the function that responds with 404 to requests without a route. */
export function addNotFoundFunction(scope: Construct, context: StackContext, data: DataResources): void {
  new ServiceFunction(scope, "RouteNotFound", {
    context,
    kind: "api",
    name: notFoundName,
    entry: notFoundEntryPoint,
    description: "Responds with 404 to requests without a route",
    reservedConcurrency: context.config.reservedConcurrency.routeNotFound,
    data,
  });
}

/**
 * Groups routes by the first part of their path, `conversations` in `/v1/conversations/{id}`. CloudFormation creates the
 * resources of one nested stack before it deletes those of another, so a function that moved between stacks could not be
 * deployed under its name. With the path as key, it stays in its stack when its route is moved to another group.
 */
function routesByResource(routes: readonly Route[]): Map<string, Route[]> {
  return Map.groupBy(
    routes,
    ({ path }) => path.split("/").find((part) => /^[a-z]/.test(part) && !/^v\d+$/.test(part)) ?? "root",
  );
}
