/** Resource of a CloudFormation template. */
interface TemplateResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: templates have the properties of all resource types
  readonly Properties?: any;
}

/** CloudFormation template, as far as limits concern it. */
export interface StackTemplate {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: object;
  readonly Outputs?: object;
  /** True for the template of a nested stack. */
  readonly isNested?: boolean;
}

/** Limit of AWS that a deployment uses a part of. */
export interface AwsLimit {
  readonly name: string;
  /** Default quota of AWS. */
  readonly quota: number;
  /** Value to which AWS raises the quota on request, where it states one or has raised it for others. */
  readonly maximum?: number;
  /** True if all deployments of an account share the quota, for IAM and CloudFront also those of other regions. */
  readonly isShared?: boolean;
  /** Service and code in Service Quotas, which `npm run preflight` reads. */
  readonly serviceQuota?: readonly [service: string, code: string];
  readonly source: string;
  readonly use: (templates: readonly StackTemplate[]) => number;
}

/** Use of a limit by a number of deployments. */
export interface LimitUse extends Pick<AwsLimit, "name" | "source"> {
  readonly use: number;
  readonly quota: number;
  /** Part of the quota that is free, from 1 to below 0. */
  readonly headroom: number;
}

const docs = "https://docs.aws.amazon.com";
const cloudFormation = `${docs}/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html`;
const apiGateway = `${docs}/apigateway/latest/developerguide/limits.html`;
const iam = `${docs}/IAM/latest/UserGuide/reference_iam-quotas.html`;
const lambda = `${docs}/lambda/latest/dg/gettingstarted-limits.html`;
const cloudFront = `${docs}/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html`;

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value ?? {}));
const size = (value: object | undefined) => Object.keys(value ?? {}).length;
const largest = (values: readonly number[]) => Math.max(0, ...values);

export const resourcesOf = (templates: readonly StackTemplate[], type: string) =>
  templates.flatMap(({ Resources }) => Object.values(Resources).filter(({ Type }) => Type === type));

/** Returns the largest use of one resource of a type. */
const largestOf =
  (type: string, use: (properties: NonNullable<TemplateResource["Properties"]>) => number) =>
  (templates: readonly StackTemplate[]) =>
    largest(resourcesOf(templates, type).map(({ Properties }) => use(Properties ?? {})));

const countOf = (type: string) => (templates: readonly StackTemplate[]) => resourcesOf(templates, type).length;

const largestTemplate = (use: (template: StackTemplate) => number) => (templates: readonly StackTemplate[]) =>
  largest(templates.map(use));

/** Returns the resources of the one stack that has nested stacks, together with theirs. */
function operationResources(templates: readonly StackTemplate[]): number {
  const isParent = ({ isNested, ...template }: StackTemplate) =>
    !isNested && resourcesOf([template], "AWS::CloudFormation::Stack").length > 0;
  const nested = templates.filter(({ isNested }) => isNested);
  return [...nested, ...templates.filter(isParent)].reduce((sum, { Resources }) => sum + size(Resources), 0);
}

const references = (value: unknown) => JSON.stringify(value).match(/\{\{resolve:/g)?.length ?? 0;

/**
 * Limits of AWS that a deployment can reach. The defaults were looked up in November 2026. Limits of names are not here:
 * `infra/config.ts` limits the stage, and a name may use all of its length.
 */
export const awsLimits: readonly AwsLimit[] = [
  {
    name: "resources of a template",
    quota: 500,
    source: cloudFormation,
    use: largestTemplate(({ Resources }) => size(Resources)),
  },
  { name: "bytes of a template", quota: 1_000_000, source: cloudFormation, use: largestTemplate(bytes) },
  {
    name: "parameters of a template",
    quota: 200,
    source: cloudFormation,
    use: largestTemplate(({ Parameters }) => size(Parameters)),
  },
  {
    name: "outputs of a template",
    quota: 200,
    source: cloudFormation,
    use: largestTemplate(({ Outputs }) => size(Outputs)),
  },
  { name: "dynamic references of a template", quota: 60, source: cloudFormation, use: largestTemplate(references) },
  {
    name: "resources of an operation over nested stacks",
    quota: 2_500,
    source: cloudFormation,
    use: operationResources,
  },
  {
    name: "stacks",
    quota: 2_000,
    isShared: true,
    serviceQuota: ["cloudformation", "L-0485CB21"],
    source: cloudFormation,
    use: (templates) => templates.length,
  },
  {
    name: "paths of an API",
    quota: 300,
    source: apiGateway,
    use: largestOf("AWS::ApiGateway::RestApi", ({ Body }) => size(Body.paths)),
  },
  {
    name: "authorizers of an API",
    quota: 10,
    source: apiGateway,
    use: largestOf("AWS::ApiGateway::RestApi", ({ Body }) => size(Body.components.securitySchemes)),
  },
  {
    name: "bytes of an imported API",
    quota: 6_000_000,
    source: apiGateway,
    use: largestOf("AWS::ApiGateway::RestApi", ({ Body }) => bytes(Body)),
  },
  {
    name: "regional APIs",
    quota: 600,
    isShared: true,
    serviceQuota: ["apigateway", "L-AA0FF27B"],
    source: apiGateway,
    use: countOf("AWS::ApiGateway::RestApi"),
  },
  {
    name: "IAM roles",
    quota: 1_000,
    maximum: 5_000,
    isShared: true,
    serviceQuota: ["iam", "L-FE177D64"],
    source: iam,
    use: countOf("AWS::IAM::Role"),
  },
  {
    name: "characters of a role's policies",
    quota: 10_240,
    source: iam,
    use: largestOf("AWS::IAM::Role", ({ Policies }) => bytes(Policies)),
  },
  {
    name: "bytes of a function's variables",
    quota: 4_096,
    source: lambda,
    use: largestOf("AWS::Lambda::Function", ({ Environment }) => bytes(Environment?.Variables)),
  },
  {
    name: "reserved concurrent executions",
    quota: 1_000,
    maximum: 10_000,
    isShared: true,
    serviceQuota: ["lambda", "L-B99A9384"],
    source: lambda,
    use: (templates) =>
      resourcesOf(templates, "AWS::Lambda::Function").reduce(
        (sum, { Properties }) => sum + (Properties?.ReservedConcurrentExecutions ?? 0),
        0,
      ),
  },
  {
    name: "distributions",
    quota: 500,
    isShared: true,
    serviceQuota: ["cloudfront", "L-24B04930"],
    source: cloudFront,
    use: countOf("AWS::CloudFront::Distribution"),
  },
  {
    name: "cache behaviors of a distribution",
    quota: 75,
    source: cloudFront,
    use: largestOf(
      "AWS::CloudFront::Distribution",
      ({ DistributionConfig }) => DistributionConfig.CacheBehaviors.length,
    ),
  },
  {
    name: "origins of a distribution",
    quota: 100,
    source: cloudFront,
    use: largestOf("AWS::CloudFront::Distribution", ({ DistributionConfig }) => DistributionConfig.Origins.length),
  },
  {
    name: "host names of a distribution",
    quota: 100,
    source: cloudFront,
    use: largestOf(
      "AWS::CloudFront::Distribution",
      ({ DistributionConfig }) => DistributionConfig.Aliases?.length ?? 0,
    ),
  },
  {
    name: "response headers policies",
    quota: 20,
    maximum: 200,
    isShared: true,
    serviceQuota: ["cloudfront", "L-CF0D4FC5"],
    source: cloudFront,
    use: countOf("AWS::CloudFront::ResponseHeadersPolicy"),
  },
  {
    name: "origin access controls",
    quota: 100,
    isShared: true,
    source: cloudFront,
    use: countOf("AWS::CloudFront::OriginAccessControl"),
  },
  {
    name: "CloudFront functions",
    quota: 100,
    isShared: true,
    source: cloudFront,
    use: countOf("AWS::CloudFront::Function"),
  },
  {
    name: "bytes of a CloudFront function",
    quota: 10_240,
    source: cloudFront,
    use: largestOf("AWS::CloudFront::Function", ({ FunctionCode }) => bytes(FunctionCode)),
  },
  {
    name: "alarms",
    quota: 5_000,
    isShared: true,
    source: `${docs}/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html`,
    use: countOf("AWS::CloudWatch::Alarm"),
  },
  {
    name: "metrics of an alarm",
    quota: 10,
    source: `${docs}/AmazonCloudWatch/latest/monitoring/alarm-data-queries.html`,
    use: largestOf(
      "AWS::CloudWatch::Alarm",
      ({ Metrics = [] }) => Metrics.filter((each: { MetricStat?: object }) => each.MetricStat).length,
    ),
  },
  {
    name: "log groups",
    quota: 1_000_000,
    isShared: true,
    source: `${docs}/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html`,
    use: countOf("AWS::Logs::LogGroup"),
  },
  {
    name: "tables",
    quota: 2_500,
    isShared: true,
    serviceQuota: ["dynamodb", "L-F98FE922"],
    source: `${docs}/amazondynamodb/latest/developerguide/ServiceQuotas.html`,
    use: countOf("AWS::DynamoDB::Table"),
  },
  {
    name: "buckets",
    quota: 10_000,
    isShared: true,
    serviceQuota: ["s3", "L-DC2B2D3D"],
    source: `${docs}/AmazonS3/latest/userguide/BucketRestrictions.html`,
    use: countOf("AWS::S3::Bucket"),
  },
  {
    name: "rules of an event bus",
    quota: 300,
    isShared: true,
    source: `${docs}/eventbridge/latest/userguide/eb-quota.html`,
    use: countOf("AWS::Events::Rule"),
  },
  {
    name: "web ACLs",
    quota: 100,
    isShared: true,
    source: `${docs}/waf/latest/developerguide/limits.html`,
    use: countOf("AWS::WAFv2::WebACL"),
  },
];

/** Quota of Lambda for the code of all functions and versions in a region. Templates do not tell the size of the code. */
export const CODE_STORAGE_BYTES = 75 * 2 ** 30;

/**
 * Returns the use of each limit.
 * @param deployments number of deployments of the templates in the account
 * @param quotaOf returns the quota of the account; by default that of AWS
 */
export function measureLimits(
  templates: readonly StackTemplate[],
  deployments = 1,
  quotaOf: (limit: AwsLimit) => number = ({ quota }) => quota,
): LimitUse[] {
  return awsLimits.map((limit) => {
    const use = limit.use(templates) * (limit.isShared ? deployments : 1);
    const quota = quotaOf(limit);
    return { name: limit.name, source: limit.source, use, quota, headroom: 1 - use / quota };
  });
}

/** Smallest part of a quota that must be free. */
export const MIN_HEADROOM = 0.2;

/** Returns the limits of which less than a fifth is free. */
export const nearLimits = (uses: readonly LimitUse[]) =>
  uses.filter(({ use, quota }) => use > (1 - MIN_HEADROOM) * quota);
