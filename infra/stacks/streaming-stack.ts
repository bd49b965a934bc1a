import { Stack } from "aws-cdk-lib";
import { FunctionUrlAuthType, InvokeMode } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { Route } from "../../shared/api/define-route.ts";
import { ServiceFunction } from "../constructs/api-function.ts";
import { modelStatements } from "../constructs/grants.ts";
import { entryOf, kebabCase, pascalCase } from "../naming.ts";
import type { Service, ServiceData } from "../stack-context.ts";

/** A streaming route and the URL of its function. */
export interface StreamingOrigin {
  readonly route: Route;
  readonly url: string;
}

/** Functions that answer for minutes, each behind a URL of its own that only the edge may call. */
export class StreamingStack extends Stack {
  readonly origins: readonly StreamingOrigin[];

  constructor(scope: Construct, id: string, service: Service, data: ServiceData) {
    super(scope, id, { description: "Switchboard: streamed answers" });
    this.origins = service.routes
      .filter((route) => route.streaming)
      .map((route) => {
        const endpoint = new ServiceFunction(this, pascalCase(route.id), {
          service,
          kind: "streaming",
          name: kebabCase(route.id),
          entry: entryOf(route),
          description: route.summary,
          data,
          access: "write",
          statements: modelStatements(this, service.config.settings.model),
        });
        const { url } = endpoint.addFunctionUrl({
          authType: FunctionUrlAuthType.NONE,
          invokeMode: InvokeMode.RESPONSE_STREAM,
        });
        return { route, url };
      });
  }
}
