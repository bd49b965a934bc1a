import { createHash } from "node:crypto";
import { Lazy, Names, Stack } from "aws-cdk-lib";
import { CfnDeployment, type CfnRestApi } from "aws-cdk-lib/aws-apigateway";

/**
 * A snapshot of the API. API Gateway takes one only when a deployment is created, so its logical id follows from the
 * definitions it is to hold: when one of them changes, CloudFormation makes a new deployment.
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
