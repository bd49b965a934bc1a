import { Aws, Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import {
  AccessLevel,
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Function as CloudFrontFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { S3BucketOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from "aws-cdk-lib/aws-s3";
import { BucketDeployment, CacheControl, Source } from "aws-cdk-lib/aws-s3-deployment";
import { Construct } from "constructs";
import type { AssetSource } from "../bundle/bundle-plan.ts";
import { globalResourceName, resourceName, type StackContext } from "../stack-context.ts";

/** URL paths of the console. One HTML page serves all of its views. */
const consolePaths = ["/", "/console", "/console/*"];
const referencePath = "/docs";
const guidesPath = "/docs/*";
const diagramsPath = "/diagrams/*";
const assetPaths = ["/assets/*", "/favicon.svg", "/robots.txt"];

/** Code of a CloudFront function that maps URL paths of pages to object keys. Paths with a file extension are keys already. */
const pageFunctionCode = `function handler(event) {
  var request = event.request;
  var name = request.uri.split("/").pop();
  if (name.indexOf(".") !== -1) return request;
  if (request.uri === "/" || request.uri.indexOf("/console") === 0) request.uri = "/index.html";
  else request.uri = request.uri.replace(/\\/$/, "") + "/index.html";
  return request;
}`;

/**
 * Returns the content security policy of the console. It allows the console's own scripts and styles, and connections to the
 * service and the identity provider.
 */
function consoleSecurityPolicy(connectOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...connectOrigins].join(" "),
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

/** Returns the content security policy of a documentation page, with additional directives. */
const docsSecurityPolicy = (...directives: readonly string[]) =>
  [
    "default-src 'none'",
    ...directives,
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Content security policy of documentation pages, which have no scripts. */
const guidesSecurityPolicy = docsSecurityPolicy();

/** Content security policy of the API reference, whose script filters the list of operations. */
const referenceSecurityPolicy = docsSecurityPolicy("script-src 'self'");

/**
 * Content security policy of the frames that draw diagrams in answers. They have an opaque origin and cannot connect
 * anywhere, so that a hostile diagram can neither act as the user nor send data away.
 */
const diagramsSecurityPolicy = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/**
 * Returns the origins between which the console transfers files: those of the two buckets, or any local port in the local
 * runner.
 */
function fileOrigins(context: StackContext): string[] {
  if (context.config.stage === "local") return ["http://127.0.0.1:*"];
  return ["uploads", "attachments"].map(
    (bucket) =>
      `https://${resourceName(context, bucket)}-${Aws.ACCOUNT_ID}-${Aws.REGION}.s3.${Aws.REGION}.${Aws.URL_SUFFIX}`,
  );
}

/** Bucket with the files of the site, and the CloudFront behaviors that serve them. */
export class StaticSite extends Construct {
  readonly behaviors: Readonly<Record<string, BehaviorOptions>>;

  /** @param source files of the site, with the paths of their URLs */
  constructor(scope: Construct, id: string, context: StackContext, { directory, hash }: AssetSource) {
    super(scope, id);
    const bucket = new Bucket(this, "Files", {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const source = Source.asset(directory, hash === undefined ? {} : { assetHash: hash });
    // Names of assets contain a hash of their content. The other files refer to them and must be current.
    new BucketDeployment(this, "Assets", {
      sources: [source],
      destinationBucket: bucket,
      exclude: ["*"],
      include: ["assets/*"],
      // Pages that are open in browsers load views of the version before.
      prune: false,
      retainOnDelete: false,
      cacheControl: [CacheControl.setPublic(), CacheControl.maxAge(Duration.days(365)), CacheControl.immutable()],
    });
    new BucketDeployment(this, "Pages", {
      sources: [source],
      destinationBucket: bucket,
      exclude: ["assets/*"],
      retainOnDelete: false,
      cacheControl: [CacheControl.noCache()],
    });
    this.#acknowledgeFindings(bucket);
    const origin = S3BucketOrigin.withOriginAccessControl(bucket, {
      // Names are unique in the account, and CDK's own is the same in each region.
      originAccessControl: new S3OriginAccessControl(this, "AccessControl", {
        originAccessControlName: globalResourceName(context, "site"),
      }),
      // Without the right to list, S3 answers 403 instead of 404.
      originAccessLevels: [AccessLevel.READ, AccessLevel.LIST],
    });
    const pageFunction = new CloudFrontFunction(this, "PagePaths", {
      functionName: globalResourceName(context, "page-paths"),
      comment: "Maps the paths of pages to files",
      code: FunctionCode.fromInline(pageFunctionCode),
      runtime: FunctionRuntime.JS_2_0,
    });
    const behavior = (name: string, policy: string, frameOption = HeadersFrameOption.DENY): BehaviorOptions => ({
      origin,
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      compress: true,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      functionAssociations: [{ function: pageFunction, eventType: FunctionEventType.VIEWER_REQUEST }],
      responseHeadersPolicy: this.#headersPolicy(context, name, policy, frameOption),
    });
    const { connectOrigins } = context.config.console;
    const consolePolicy = consoleSecurityPolicy([...connectOrigins, ...fileOrigins(context)]);
    const consoleBehavior = behavior("console", consolePolicy);
    const guidesBehavior = behavior("guides", guidesSecurityPolicy);
    this.behaviors = Object.fromEntries([
      ...[...consolePaths, ...assetPaths].map((path) => [path, consoleBehavior] as const),
      [referencePath, behavior("reference", referenceSecurityPolicy)],
      [guidesPath, guidesBehavior],
      [diagramsPath, behavior("diagrams", diagramsSecurityPolicy, HeadersFrameOption.SAMEORIGIN)],
    ]);
  }

  #headersPolicy(
    context: StackContext,
    name: string,
    contentSecurityPolicy: string,
    frameOption: HeadersFrameOption,
  ): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, `${name}Headers`, {
      responseHeadersPolicyName: globalResourceName(context, `${name}-headers`),
      comment: `Security headers of the ${name}`,
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy, override: true },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(730), includeSubdomains: true, override: true },
      },
    });
  }

  #acknowledgeFindings(bucket: Bucket): void {
    Validations.of(bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "The bucket contains public files only, and CloudFront alone reads it.",
    });
    // The CDK adds the function that copies the files to the stack, outside of this construct.
    for (const child of Stack.of(this).node.children.filter(({ node }) =>
      node.id.startsWith("Custom::CDKBucketDeployment"),
    )) {
      const own = (rule: string, ...parts: readonly string[]) =>
        parts.map((part) => ({
          id: `${rule}[${part}]`,
          reason: "The CDK's function copies files between two buckets.",
        }));
      Validations.of(child).acknowledge(
        { id: "AwsSolutions-L1", reason: "The CDK chooses the runtime of its function." },
        ...own(
          "AwsSolutions-IAM4",
          "Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole",
        ),
        ...own(
          "AwsSolutions-IAM5",
          "Action::s3:GetBucket*",
          "Action::s3:GetObject*",
          "Action::s3:List*",
          "Action::s3:Abort*",
          "Action::s3:DeleteObject*",
          "Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*",
          `Resource::<${Stack.of(this).getLogicalId(bucket.node.defaultChild as CfnBucket)}.Arn>/*`,
        ),
      );
    }
  }
}
