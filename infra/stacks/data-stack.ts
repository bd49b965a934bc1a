import { RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { CustomerKey } from "../constructs/customer-key.ts";
import { ServiceTable } from "../constructs/table.ts";
import { type DataResources, resourceName, type StackContext } from "../stack-context.ts";

/** Stack of the table and the secrets. It is separate, so that the other stacks can be replaced without losing data. */
export class DataStack extends Stack implements DataResources {
  readonly table: ServiceTable;
  readonly keyArn: string | undefined;
  readonly appSecret: string;
  readonly deploymentKey: string;
  readonly originSecret: string;
  readonly originSecretValues: DataResources["originSecretValues"];

  constructor(scope: Construct, id: string, context: StackContext) {
    const { retainData } = context.config;
    super(scope, id, { description: "Switchboard: data", terminationProtection: retainData });
    this.keyArn = context.config.hasCustomerKey ? new CustomerKey(this, "DataKey", context).keyArn : undefined;
    this.table = new ServiceTable(this, "Table", context);
    // CloudFormation replaces the value if `generateSecretString` changes. A rotated value is JSON (`shared/auth/app-secret.ts`).
    const appSecret = new Secret(this, "AppSecret", {
      secretName: resourceName(context, "app-secret"),
      description: "What keys are made with; it lies apart from the table that knows their hashes",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    Validations.of(appSecret).acknowledge({
      id: "AwsSolutions-SMG4",
      reason: "Rotated by `npm run rotate`: credentials that others store are renewed before a secret is removed.",
    });
    this.appSecret = `secret:${appSecret.secretArn}`;
    const deploymentKey = this.#addRotatedSecret("DeploymentKey", "deployment-key", context, {
      description: "Key of the operator, who manages tenants with it; its previous value is accepted, too",
      reason: "Rotated by `npm run rotate`: the programs of the operator that have the key must get the new one.",
    });
    this.deploymentKey = `secret:${deploymentKey.secretArn}`;
    const originSecret = this.#addRotatedSecret("OriginSecret", "origin-secret", context, {
      description: "Shared by CloudFront and the functions behind it; functions also accept the previous value",
      reason:
        "A deployment passes the secret to CloudFront; after two automatic rotations, functions would reject its value.",
    });
    this.originSecret = `secret:${originSecret.secretArn}`;
    const fieldOf = (field: string) => originSecret.secretValueFromJson(field).unsafeUnwrap();
    this.originSecretValues = { current: fieldOf("current"), previous: fieldOf("previous") };
  }

  /** Adds a secret with its current and its previous value. The reason says why it is not rotated automatically. */
  #addRotatedSecret(
    id: string,
    name: string,
    context: StackContext,
    { description, reason }: { readonly description: string; readonly reason: string },
  ): Secret {
    const secret = new Secret(this, id, {
      secretName: resourceName(context, name),
      description,
      generateSecretString: {
        passwordLength: 64,
        excludePunctuation: true,
        secretStringTemplate: JSON.stringify({ previous: "" }),
        generateStringKey: "current",
      },
    });
    Validations.of(secret).acknowledge({ id: "AwsSolutions-SMG4", reason });
    return secret;
  }
}
