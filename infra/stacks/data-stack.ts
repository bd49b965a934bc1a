import { RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { ServiceTable } from "../constructs/table.ts";
import { nameOf, type Service, type ServiceData } from "../stack-context.ts";

/** What the service knows; apart from the rest, so that the rest can be replaced. */
export class DataStack extends Stack implements ServiceData {
  readonly table: ServiceTable;
  readonly appSecret: string;
  readonly originSecret: string;

  constructor(scope: Construct, id: string, service: Service) {
    const { keepsData } = service.config;
    super(scope, id, { description: "Switchboard: data", terminationProtection: keepsData });
    this.table = new ServiceTable(this, "Table", service);
    const appSecret = new Secret(this, "AppSecret", {
      secretName: nameOf(service, "app-secret"),
      description: "What keys are made with; it lies apart from the table that knows their hashes",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    Validations.of(appSecret).acknowledge({
      id: "AwsSolutions-SMG4",
      reason: "A retried request is answered with the same key only while the secret is the same.",
    });
    this.appSecret = appSecret.secretValue.unsafeUnwrap();
    const originSecret = new Secret(this, "OriginSecret", {
      secretName: nameOf(service, "origin-secret"),
      description: "Shared by CloudFront and the functions behind it",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    Validations.of(originSecret).acknowledge({
      id: "AwsSolutions-SMG4",
      reason: "Both ends are given it by a deployment, so rotation by anything else would part them.",
    });
    this.originSecret = originSecret.secretValue.unsafeUnwrap();
  }
}
