import { CfnWebACL } from "aws-cdk-lib/aws-wafv2";
import type { Construct } from "constructs";
import { getToolSetting } from "../../shared/lib/env.ts";
import { globalResourceName, type StackContext } from "../stack-context.ts";
import { SynthesisError } from "../synthesis-error.ts";

/** Number of requests of one address in five minutes above which CloudFront responds with 403. */
const MAX_REQUESTS_PER_ADDRESS = 2_000;

/** Rule groups of AWS, which cost 1 USD a month each. */
const managedRuleGroups = ["AWSManagedRulesAmazonIpReputationList", "AWSManagedRulesKnownBadInputsRuleSet"];

/**
 * Returns the ARN of the web ACL that the CDK context `waf` asks for: `true` creates one, an ARN names an existing one.
 * Web ACLs of CloudFront must be in us-east-1.
 * @returns undefined without the option
 * @throws SynthesisError if the ACL would be created in another region
 * @see https://aws.amazon.com/waf/pricing/ (5 USD a month, 1 USD per rule, 0.60 USD per million requests)
 */
export function webAclArn(scope: Construct, context: StackContext): string | undefined {
  const { waf } = context.config;
  if (waf === null || waf.startsWith("arn:")) return waf ?? undefined;
  const region = getToolSetting("CDK_DEFAULT_REGION");
  if (region !== undefined && region !== "us-east-1") {
    throw new SynthesisError(
      `-c waf=true requires a deployment in us-east-1, but the region is ${region}. Create a web ACL there and pass its ARN: -c waf=<ARN>.`,
    );
  }
  const visibility = (metricName: string) => ({
    cloudWatchMetricsEnabled: true,
    sampledRequestsEnabled: true,
    metricName,
  });
  const acl = new CfnWebACL(scope, "WebAcl", {
    name: globalResourceName(context, "web-acl"),
    scope: "CLOUDFRONT",
    defaultAction: { allow: {} },
    visibilityConfig: visibility("switchboard-web-acl"),
    rules: [
      {
        name: "rate-per-address",
        priority: 0,
        action: { block: {} },
        statement: { rateBasedStatement: { limit: MAX_REQUESTS_PER_ADDRESS, aggregateKeyType: "IP" } },
        visibilityConfig: visibility("rate-per-address"),
      },
      ...managedRuleGroups.map((name, index) => ({
        name,
        priority: index + 1,
        overrideAction: { none: {} },
        statement: { managedRuleGroupStatement: { vendorName: "AWS", name } },
        visibilityConfig: visibility(name),
      })),
    ],
  });
  return acl.attrArn;
}
