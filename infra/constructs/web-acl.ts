import { CfnWebACL, CfnWebACLAssociation, type CfnWebACLProps } from "aws-cdk-lib/aws-wafv2";
import type { Construct } from "constructs";
import { getToolSetting } from "../../shared/lib/env.ts";
import { type DataResources, globalResourceName, resourceName, type StackContext } from "../stack-context.ts";
import { SynthesisError } from "../synthesis-error.ts";
import type { RestApi } from "./rest-api.ts";

/**
 * Minimum length of a header that is compared with the origin secrets, which have 64 characters. Otherwise an empty header
 * would equal a secret that is not set yet.
 */
const MIN_SECRET_LENGTH = 32;

/** Maximum number of requests from one address in five minutes; further ones get 403. */
const MAX_REQUESTS_PER_ADDRESS = 2_000;

/** Managed rule groups of AWS, each for 1 USD per month. */
const managedRuleGroups = ["AWSManagedRulesAmazonIpReputationList", "AWSManagedRulesKnownBadInputsRuleSet"];

/**
 * Returns the ARN of the web ACL for CloudFront that the CDK context `waf` defines: `true` creates one, an ARN names an
 * existing one.
 * @returns undefined without the option
 * @throws SynthesisError if the ACL would be created outside of us-east-1, where CloudFront requires it
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
  return createWebAcl(scope, "WebAcl", { name: globalResourceName(context, "web-acl"), scope: "CLOUDFRONT" });
}

/**
 * Adds a web ACL to the APIs' own addresses, which clients could use to avoid CloudFront and its web ACL. Does nothing unless
 * `waf` is `true`. Requests through CloudFront are not rate-limited here, because they share its addresses.
 */
export function protectApis(
  scope: Construct,
  context: StackContext,
  { current, previous }: DataResources["originSecretValues"],
  apis: readonly Pick<RestApi, "stageArn">[],
): void {
  if (context.config.waf !== "true") return;
  const header = { fieldToMatch: { singleHeader: { Name: "x-origin-secret" } } };
  const textTransformations = [{ priority: 0, type: "NONE" }];
  const isFromCloudFront = {
    andStatement: {
      statements: [
        // The previous secret is empty until the first rotation, and then matches an empty header.
        {
          sizeConstraintStatement: {
            ...header,
            textTransformations,
            comparisonOperator: "GE",
            size: MIN_SECRET_LENGTH,
          },
        },
        {
          regexMatchStatement: {
            ...header,
            textTransformations,
            // AWS WAF supports no groups that capture.
            regexString: `^(?:${current}|${previous})$`,
          },
        },
      ],
    },
  };
  const webAclArn = createWebAcl(scope, "ApiWebAcl", {
    name: resourceName(context, "api-web-acl"),
    // CloudFormation resolves a rotated origin secret only in resources that change.
    description: `switchboard ${context.config.rotation}`.trim(),
    scope: "REGIONAL",
    scopeDownStatement: { notStatement: { statement: isFromCloudFront } },
  });
  for (const [index, { stageArn }] of apis.entries()) {
    new CfnWebACLAssociation(scope, `ApiWebAclAssociation${index}`, { resourceArn: stageArn, webAclArn });
  }
}

interface WebAclProps extends Pick<CfnWebACLProps, "scope" | "description"> {
  readonly name: string;
  /** Requests that the rate limit counts; by default all. */
  readonly scopeDownStatement?: CfnWebACL.StatementProperty;
}

/**
 * Creates a web ACL with a rate limit per client address and managed rules of AWS.
 * @returns ARN of the web ACL
 */
function createWebAcl(parent: Construct, id: string, { scopeDownStatement, ...props }: WebAclProps): string {
  const visibility = (metricName: string) => ({
    cloudWatchMetricsEnabled: true,
    sampledRequestsEnabled: true,
    metricName,
  });
  const rateBasedStatement = {
    limit: MAX_REQUESTS_PER_ADDRESS,
    aggregateKeyType: "IP",
    ...(scopeDownStatement && { scopeDownStatement }),
  };
  const acl = new CfnWebACL(parent, id, {
    ...props,
    defaultAction: { allow: {} },
    visibilityConfig: visibility("switchboard-web-acl"),
    rules: [
      {
        name: "rate-per-address",
        priority: 0,
        action: { block: {} },
        statement: { rateBasedStatement },
        visibilityConfig: visibility("rate-per-address"),
      },
      ...managedRuleGroups.map((group, index) => ({
        name: group,
        priority: index + 1,
        overrideAction: { none: {} },
        statement: { managedRuleGroupStatement: { vendorName: "AWS", name: group } },
        visibilityConfig: visibility(group),
      })),
    ],
  });
  return acl.attrArn;
}
