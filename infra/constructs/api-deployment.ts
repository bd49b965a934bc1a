import { createHash } from "node:crypto";
import { Lazy, Names, Stack } from "aws-cdk-lib";
import { CfnDeployment, type CfnRestApi } from "aws-cdk-lib/aws-apigateway";

/**
 * Deployment of the REST API. API Gateway takes a snapshot of the API only when a deployment is created. Its logical id
 * contains a hash of the definitions, so that CloudFormation creates a new one after every change. `ApiStack` has the
 * stage with its throttling and access log.
 */
export class ApiDeployment extends CfnDeployment {
  constructor(restApi: CfnRestApi, definitions: readonly object[]) {
    super(restApi, "Deployment", { restApiId: restApi.ref });
    const name = Names.uniqueId(this);
    this.overrideLogicalId(
      Lazy.uncachedString({
        produce: () => {
          const definition = JSON.stringify(Stack.of(restApi).resolve(definitions));
          return `${name}${createHash("sha256").update(definition).digest("hex").slice(0, 16)}`;
        },
      }),
    );
  }
}
