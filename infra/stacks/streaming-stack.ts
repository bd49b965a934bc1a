import { CrossStackReferences, ReferenceStrength, Stack } from "aws-cdk-lib";
import { FunctionUrlAuthType, InvokeMode } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { Route } from "../../shared/api/define-route.ts";
import { ServiceFunction } from "../constructs/api-function.ts";
import { entryPointOf, kebabCase, pascalCase } from "../naming.ts";
import type { DataResources, StackContext } from "../stack-context.ts";

/** A streaming route and the URL of its function. */
export interface StreamingOrigin {
  readonly route: Route;
  readonly url: string;
}

/** Stack of the streaming functions. Each has a function URL, which accepts only requests from CloudFront. */
export class StreamingStack extends Stack {
  readonly origins: readonly StreamingOrigin[];

  constructor(scope: Construct, id: string, context: StackContext, data: DataResources) {
    super(scope, id, { description: "Switchboard: streamed answers" });
    this.origins = context.routes
      .filter((route) => route.streaming)
      .map((route) => {
        const endpoint = new ServiceFunction(this, pascalCase(route.id), {
          context,
          kind: "streaming",
          name: kebabCase(route.id),
          entry: entryPointOf(route),
          description: route.summary,
          data,
          reservedConcurrency: context.config.reservedConcurrency[route.id],
          rateLimit: route.rateLimit,
          route,
        });
        const functionUrl = endpoint.addFunctionUrl({
          authType: FunctionUrlAuthType.NONE,
          invokeMode: InvokeMode.RESPONSE_STREAM,
        });
        // CloudFormation does not remove an export that another stack imports, so a renamed or removed route could not be
        // deployed. The local runner knows only exports.
        if (context.config.stage !== "local") CrossStackReferences.of(functionUrl).produce(ReferenceStrength.WEAK);
        return { route, url: functionUrl.url };
      });
  }
}
