import { CfnOutput, Fn, Stack } from "aws-cdk-lib";
import { FunctionUrlAuthType, InvokeMode } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { Route } from "../../shared/api/define-route.ts";
import { ServiceFunction } from "../constructs/api-function.ts";
import { entryPointOf, kebabCase, pascalCase } from "../naming.ts";
import { type DataResources, resourceName, type StackContext } from "../stack-context.ts";

/** Streaming route, and where the address of its function can be found. */
interface StreamingOrigin {
  readonly route: Route;
  /** Name of the stack output with the host name of the function URL. */
  readonly hostOutput: string;
}

/** Stack of the streaming functions. Each has a function URL, and rejects requests that do not come through CloudFront. */
export class StreamingStack extends Stack {
  readonly origins: readonly StreamingOrigin[];
  /**
   * Name of this stack, exported so that CloudFront's stack depends on it. Otherwise this stack could be deleted and deployed
   * again with new addresses while CloudFront keeps the old ones.
   */
  readonly presence: string;

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
        });
        const settings = { authType: FunctionUrlAuthType.NONE, invokeMode: InvokeMode.RESPONSE_STREAM };
        const functionUrl = endpoint.addFunctionUrl(settings);
        // An output and no export: CloudFormation does not remove an export that another stack imports, so a renamed or
        // removed route could not be deployed. The output is the host, because a reader can split no output of another stack:
        // https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-split.html
        const hostOutput = `${pascalCase(route.id)}Host`;
        new CfnOutput(this, hostOutput, { value: Fn.select(2, Fn.split("/", functionUrl.url)) });
        return { route, hostOutput };
      });
    this.presence = Fn.importValue(
      new CfnOutput(this, "Presence", {
        value: this.stackName,
        exportName: resourceName(context, "streaming-presence"),
        description: "Keeps the stack from being deleted while CloudFront forwards to its functions",
      }).exportName ?? "",
    );
  }
}
