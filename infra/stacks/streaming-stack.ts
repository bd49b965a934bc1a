import { Stack, Validations } from "aws-cdk-lib";
import { FunctionUrlAuthType, InvokeMode } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import type { Route } from "../../shared/api/define-route.ts";
import { ServiceFunction } from "../constructs/api-function.ts";
import { modelStatements } from "../constructs/grants.ts";
import { entryOf, kebabCase, pascalCase } from "../naming.ts";
import { nameOf, type Service, type ServiceData } from "../service.ts";

/** A streaming route and the URL of its function. */
export interface StreamingOrigin {
  readonly route: Route;
  readonly url: string;
}

/** Functions that answer for minutes, each behind a URL of its own that only the edge may call. */
export class StreamingStack extends Stack {
  readonly origins: readonly StreamingOrigin[];
  /** What the edge shows to the functions; a reference, which CloudFormation resolves. */
  readonly originSecret: string;

  constructor(scope: Construct, id: string, service: Service, data: ServiceData) {
    super(scope, id, { description: "Switchboard: streamed answers" });
    const secret = new Secret(this, "OriginSecret", {
      secretName: nameOf(service, "origin-secret"),
      description: "Shared by CloudFront and the functions behind it",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    Validations.of(secret).acknowledge({
      id: "AwsSolutions-SMG4",
      reason: "Both ends are given it by a deployment, so rotation by anything else would part them.",
    });
    this.originSecret = secret.secretValue.unsafeUnwrap();
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
          environment: { ORIGIN_SECRET: this.originSecret },
        });
        const { url } = endpoint.addFunctionUrl({
          authType: FunctionUrlAuthType.NONE,
          invokeMode: InvokeMode.RESPONSE_STREAM,
        });
        return { route, url };
      });
  }
}
