import { readFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { settings } from "#shared/lib/env.ts";
import { metricNamespace } from "#shared/lib/metrics.ts";
import { SynthesisError } from "../../infra/synthesis-error.ts";
import { createRoute, resourcesOf, synthesize } from "./synthesize.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Ids of a few routes, where their number changes nothing. */
const routeIds = ["startChat", "createChatCompletion", "listFolders", "getHealth"];

const listVariables = (stage: "local" | "dev" | "prod") =>
  resourcesOf(synthesize({ stage, routeIds }), "AWS::Lambda::Function").map(
    ({ Properties }) => Properties.Environment.Variables,
  );

it.each([
  ["local", false],
  ["dev", true],
  ["prod", true],
] as const)(
  "CDK app synthesizes stage %s without credentials or settings, with deletion protection %s",
  (stage, isProtected) => {
    // Suites with an instance synthesize all routes of the stage local.
    const templates = synthesize(stage === "local" ? { stage, routeIds } : { stage });
    expect(resourcesOf(templates, "AWS::CloudFront::Distribution")).toHaveLength(1);
    expect(resourcesOf(templates, "AWS::DynamoDB::Table").map(({ Properties }) => Properties)).toMatchObject([
      {
        BillingMode: "PAY_PER_REQUEST",
        DeletionProtectionEnabled: isProtected,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
        TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
      },
    ]);
  },
);

it("resources of an API route stay in the same stack when the route is moved to another group", () => {
  const route = createRoute({ id: "getThing", path: "/v1/things/{id}" });
  /** Returns the stack and logical id of each function; names of template files end with a hash. */
  const place = (group: string) =>
    [...synthesize({ routes: [{ ...route, group }] })]
      .flatMap(([file, resources]) =>
        Object.entries(resources ?? {})
          .filter(([, { Type }]) => /Lambda::Function$/.test(Type))
          .map(([id]) => `${file} ${id}`),
      )
      .sort();
  expect(place("others")).toEqual(place("things"));
});

it("recursive invocation of a function is allowed only for jobs, which can add messages to their own queue", () => {
  const recursiveFunctions = resourcesOf(synthesize(), "AWS::Lambda::Function")
    .filter(({ Properties }) => Properties.RecursiveLoop === "Allow")
    .map(({ Properties }) => Properties.FunctionName);
  expect(recursiveFunctions.map((name) => name.replace("switchboard-prod-", "")).toSorted()).toEqual([
    "apply-retention",
    "build-export",
    "continue-run",
    "delete-data",
    "deliver-event",
    "fail-import",
    "run-import",
    "watch-run",
  ]);
});

const alarms = resourcesOf(synthesize(), "AWS::CloudWatch::Alarm").map(({ Properties }) => Properties);
const findAlarm = (name: string) => alarms.find(({ AlarmName }) => AlarmName === `switchboard-prod-${name}`);

it("CloudWatch alarm limiter-failures watches the custom metric of the rate limiter", () => {
  expect(findAlarm("limiter-failures")).toMatchObject({
    Namespace: metricNamespace,
    MetricName: "rate_limiter_failed",
    Dimensions: [{ Name: "stage", Value: "prod" }],
  });
});

it("CloudWatch alarm links to an existing section of docs/runbooks.md", () => {
  const sections = new Set(readFileSync("docs/runbooks.md", "utf8").match(/(?<=^## ).+$/gm));
  const links = alarms.map(({ AlarmDescription }) => /docs\/runbooks\.md#([\w-]+)$/.exec(AlarmDescription)?.[1]);
  expect(links.length).toBeGreaterThan(15);
  expect(links.filter((name) => name === undefined || !sections.has(name))).toEqual([]);
  expect([...sections].filter((name) => !links.includes(name))).toEqual([]);
});

it("CloudWatch alarm is allowed to publish to its SNS topic", () => {
  const [topic] = resourcesOf(synthesize(), "AWS::SNS::TopicPolicy");
  const allowed = topic?.Properties.PolicyDocument.Statement.filter(
    ({ Effect }: { Effect: string }) => Effect === "Allow",
  );
  expect(allowed).toMatchObject([
    {
      Action: "sns:Publish",
      Principal: { Service: "cloudwatch.amazonaws.com" },
      Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
    },
  ]);
});

it("CDK app throttles each method of the API at 20 requests a second, those of programs at 50 and the busiest at 300", () => {
  const stages = resourcesOf(synthesize(), "AWS::ApiGateway::Stage").map(({ Properties }) => Properties.MethodSettings);
  const ofAll = { HttpMethod: "*", ResourcePath: "/*", ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 };
  expect(stages.map(([first]) => first)).toMatchObject([ofAll, ofAll]);
  const others = stages.flatMap(([, ...settings]) => settings);
  const withRate = (rate: number) =>
    others
      .filter(({ ThrottlingRateLimit }: { ThrottlingRateLimit: number }) => ThrottlingRateLimit === rate)
      .map(
        ({ HttpMethod, ResourcePath }: Record<string, string>) =>
          `${HttpMethod} ${ResourcePath?.slice(1).replaceAll("~1", "/")}`,
      );
  expect(withRate(300).toSorted()).toEqual([
    "GET /v1/conversations",
    "GET /v1/conversations/{id}",
    "GET /v1/conversations/{id}/messages",
    "GET /v1/knowledge/search",
    "GET /v1/me",
    "GET /v1/receptor",
    "POST /openai/v1/embeddings",
    "POST /v1/conversations",
    "POST /v1/runtime/chat/{message_id}/stop",
  ]);
  expect(withRate(50)).toEqual(
    expect.arrayContaining([
      "POST /v1/webhooks/{channel_id}",
      "POST /v1/slack/events",
      "POST /v1/teams/{workspace_id}",
      "GET /v1/shared/{token}",
      "GET /v1/embed/widget.js",
    ]),
  );
  expect(withRate(300).length + withRate(50).length).toBe(others.length);
  // HEAD, ANY, preflights and routes without a credential have the rate of all.
  expect([...withRate(300), ...withRate(50)].filter((name) => /^(HEAD|ANY|OPTIONS) |\/health/.test(name))).toEqual([]);
});

it("CDK app throttles the API stage as the settings THROTTLE_RATE and THROTTLE_BURST say, and rejects an invalid value", () => {
  vi.stubEnv("THROTTLE_RATE", "1000");
  vi.stubEnv("THROTTLE_BURST", "2000");
  const [stage] = resourcesOf(synthesize({ routeIds }), "AWS::ApiGateway::Stage");
  const expected = { ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 };
  expect(stage?.Properties.MethodSettings[0]).toMatchObject(expected);
  vi.stubEnv("THROTTLE_RATE", "-1");
  expect(() => synthesize()).toThrow("THROTTLE_RATE: must be a positive integer");
});

it("CDK app reserves concurrency for chats if the account's concurrency quota is known and large enough", () => {
  const reservations = () =>
    resourcesOf(synthesize({ routeIds }), "AWS::Lambda::Function").flatMap(({ Properties }) =>
      Properties.ReservedConcurrentExecutions
        ? [[Properties.FunctionName, Properties.ReservedConcurrentExecutions]]
        : [],
    );
  // CloudFormation refuses a reservation that a new account has no room for, so an unknown quota reserves nothing.
  expect(reservations()).toEqual([]);
  vi.stubEnv("CONCURRENCY_QUOTA", "1000");
  expect(reservations().toSorted()).toEqual([
    ["switchboard-prod-start-chat", 400],
    ["switchboard-prod_route-not-found", 20],
  ]);
  vi.stubEnv("CONCURRENCY_QUOTA", "10");
  expect(reservations()).toEqual([]);
});

it.each([
  ["", 10],
  ["50", 10],
  ["1000", 50],
])("CDK app delivers batches of ten events with the quota %j, in %i invocations at a time", (quota, invocations) => {
  vi.stubEnv("CONCURRENCY_QUOTA", quota);
  const entries = { jobs: ["functions/jobs/deliver-event.ts"], processors: ["functions/changes/cascade/index.ts"] };
  const mappings = resourcesOf(synthesize({ routeIds, entries }), "AWS::Lambda::EventSourceMapping");
  const ofEvents = mappings.find(({ Properties }) => JSON.stringify(Properties).includes("DeliverEvent"));
  expect(ofEvents?.Properties).toMatchObject({
    BatchSize: 10,
    ScalingConfig: { MaximumConcurrency: invocations },
    FunctionResponseTypes: ["ReportBatchItemFailures"],
  });
});

it("CDK app retains table, app secret and attachments, except those of a first deployment that fails", () => {
  const resources = [...synthesize().values()].flatMap((template) => Object.values(template));
  const retained = resources.filter((resource) => Object.hasOwn(resource, "DeletionPolicy"));
  const typesWith = (policy: string) =>
    retained
      .filter((resource) => (resource as { DeletionPolicy?: string }).DeletionPolicy === policy)
      .map(({ Type }) => Type);
  expect(typesWith("RetainExceptOnCreate").sort()).toEqual([
    "AWS::DynamoDB::Table",
    "AWS::S3::Bucket",
    "AWS::SecretsManager::Secret",
  ]);
  expect(typesWith("Retain").sort()).toEqual(["AWS::ApiGateway::Account", "AWS::IAM::Role"]);
});

it("CDK app adds a web ACL with a rate rule per client address when the option waf is true", () => {
  expect(resourcesOf(synthesize(), "AWS::WAFv2::WebACL")).toEqual([]);
  const options = { waf: "true" };
  const templates = synthesize({ options });
  const acls = resourcesOf(templates, "AWS::WAFv2::WebACL").map(({ Properties }) => Properties);
  const [acl] = acls.filter(({ Scope }) => Scope === "CLOUDFRONT");
  expect(acl?.Rules[0].Statement).toEqual({
    RateBasedStatement: { AggregateKeyType: "IP", Limit: 2_000 },
  });
  const [distribution] = resourcesOf(templates, "AWS::CloudFront::Distribution");
  expect(distribution?.Properties.DistributionConfig.WebACLId).toBeDefined();
  const [apiAcl] = acls.filter(({ Scope }) => Scope === "REGIONAL");
  const { ScopeDownStatement } = apiAcl?.Rules[0].Statement.RateBasedStatement ?? {};
  const [longEnough, known] = ScopeDownStatement.NotStatement.Statement.AndStatement.Statements;
  expect(longEnough.SizeConstraintStatement).toMatchObject({ ComparisonOperator: "GE", Size: 32 });
  expect(JSON.stringify(known.RegexMatchStatement)).toMatch(/:SecretString:current::.*\|.*:SecretString:previous::/);
  // https://docs.aws.amazon.com/waf/latest/developerguide/waf-regex-pattern-support.html
  expect(JSON.stringify(known.RegexMatchStatement)).not.toMatch(/\((?!\?:)/);
  const protectedStages = resourcesOf(templates, "AWS::WAFv2::WebACLAssociation").map(({ Properties }) =>
    JSON.stringify(Properties.ResourceArn),
  );
  expect(new Set(protectedStages).size).toBe(2);
  expect(() => synthesize({ options: { waf: "yes" } })).toThrow("-c waf must be true, false, or the ARN");
  vi.stubEnv("CDK_DEFAULT_REGION", "eu-central-1");
  expect(() => synthesize({ options: { waf: "true" } })).toThrow("requires a deployment in us-east-1");
});

it.each([
  ["prod", "us-east-1", {}, 2],
  ["west", "us-east-1", {}, 2],
  ["prod", "us-east-1", { waf: "false" }, 0],
  ["prod", "eu-central-1", {}, 0],
  ["dev", "us-east-1", {}, 0],
])("CDK app in the stage %s and the region %s with the options %j has %i web ACLs", (stage, region, options, count) => {
  vi.stubEnv("CDK_DEFAULT_REGION", region);
  expect(resourcesOf(synthesize({ stage, routeIds, options }), "AWS::WAFv2::WebACL")).toHaveLength(count);
});

it("configuration of the CDK app is rejected without an identity provider in the stage prod", () => {
  expect(() => synthesize({ hasOwnSettings: true })).toThrow(
    "AUTH_PROVIDER=jwt requires JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL.",
  );
});

it("configuration of the CDK app is rejected without a model in the stage prod and in stages with custom names", () => {
  vi.stubEnv("JWT_ISSUER", "https://issuer.example.com/");
  vi.stubEnv("JWT_AUDIENCE", "a");
  vi.stubEnv("JWT_JWKS_URL", "https://issuer.example.com/keys");
  const synthesizeStage = (stage: string) => () => synthesize({ stage, routeIds, hasOwnSettings: true });
  expect(synthesizeStage("prod")).toThrow("No model is set.");
  expect(synthesizeStage("staging")).toThrow("No model is set.");
  expect(synthesizeStage("dev")).not.toThrow();
  vi.stubEnv("MODEL_BASE_URL", "https://models.example.com/v1");
  expect(synthesizeStage("prod")).not.toThrow();
});

it("configuration of the CDK app is rejected in a region without function URLs", () => {
  vi.stubEnv("CDK_DEFAULT_REGION", "eu-south-2");
  expect(() => synthesize()).toThrow("Lambda has no function URLs in eu-south-2");
});

it("configuration of the CDK app accepts stages with custom names, which are treated like prod", () => {
  expect([...synthesize({ stage: "prod-eu", routeIds }).keys()]).toContain("switchboard-prod-eu-edge.template.json");
  expect(() => synthesize({ stage: "Prod" })).toThrow("Invalid stage Prod: must have at most 12 lowercase letters");
});

it("names of all resources keep their maximum length with the longest stage that the region permits", () => {
  const region = "ap-southeast-2";
  vi.stubEnv("CDK_DEFAULT_REGION", region);
  expect(() => synthesize({ stage: "abcdefghijkl" })).toThrow("must have at most 11 characters in ap-southeast-2");
  const longest: Readonly<Record<string, readonly [property: string, maximum: number]>> = {
    "S3::Bucket": ["BucketName", 63],
    "Lambda::Function": ["FunctionName", 64],
    "SQS::Queue": ["QueueName", 80],
    "DynamoDB::Table": ["TableName", 255],
    "CloudFront::Function": ["Name", 64],
    "Events::Rule": ["Name", 64],
  };
  const templates = synthesize({ stage: "abcdefghijk", hasSite: true });
  const values: Record<string, string> = { "AWS::AccountId": "1".repeat(12), "AWS::Region": region };
  const nameOf = (name: string | { "Fn::Join": [string, (string | { Ref: string })[]] } | undefined) =>
    typeof name === "object"
      ? name["Fn::Join"][1].map((part) => (typeof part === "string" ? part : values[part.Ref])).join("")
      : (name ?? "");
  const lengths: number[] = [];
  for (const [type, [property, maximum]] of Object.entries(longest)) {
    for (const { Properties } of resourcesOf(templates, `AWS::${type}`)) {
      const name = nameOf(Properties[property]);
      expect(name.length, name).toBeLessThanOrEqual(maximum);
      if (type === "S3::Bucket") lengths.push(name.length);
    }
  }
  expect(Math.max(...lengths)).toBe(63);
  vi.stubEnv("CDK_DEFAULT_REGION", "us-east-1");
  expect(() => synthesize({ stage: "abcdefghijkl", routeIds })).not.toThrow();
});

it("CDK app includes the region in the names of global resources, so that one account can have a stage in two regions", () => {
  const globalTypes = ["CloudFront::Function", "CloudFront::ResponseHeadersPolicy", "CloudWatch::Dashboard"];
  const names = globalTypes.flatMap((type) =>
    resourcesOf(synthesize(), `AWS::${type}`).map(({ Properties }) =>
      JSON.stringify(
        Properties.Name ?? Properties.DashboardName ?? Properties.ResponseHeadersPolicyConfig?.Name ?? null,
      ),
    ),
  );
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => !name.includes("AWS::Region"))).toEqual([]);
});

it("configuration of the CDK app is rejected without a model id for Bedrock", () => {
  vi.stubEnv("MODEL_PROVIDER", "bedrock");
  expect(() => synthesize()).toThrow("MODEL_PROVIDER=bedrock requires MODEL_ID");
});

it("configuration of the CDK app uses local authentication by default in the stage local", () => {
  const variables = listVariables("local").find((each) => "AUTH_PROVIDER" in each);
  expect(variables).toMatchObject({
    AUTH_PROVIDER: "local",
    DEV_TENANT_ID: "local",
    DEV_USER_ID: "me",
  });
});

it.each(["dev", "prod"] as const)(
  "configuration of the CDK app is rejected with the authentication provider local in stage %s",
  (stage) => {
    vi.stubEnv("AUTH_PROVIDER", "local");
    expect(() => synthesize({ stage })).toThrow(SynthesisError);
    expect(() => synthesize({ stage })).toThrow("only allowed with stage=local");
  },
);

it("configuration of the CDK app is rejected without an audience and a key set URL for JWT authentication", () => {
  vi.stubEnv("AUTH_PROVIDER", "jwt");
  vi.stubEnv("JWT_ISSUER", "http://localhost:9000");
  expect(() => synthesize({ stage: "local" })).toThrow("AUTH_PROVIDER=jwt requires JWT_AUDIENCE, JWT_JWKS_URL.");
});

it.each(["local", "dev"] as const)(
  "configuration of the CDK app is rejected with an unknown authentication provider in stage %s",
  (stage) => {
    vi.stubEnv("AUTH_PROVIDER", "oauth");
    expect(() => synthesize({ stage })).toThrow(/AUTH_PROVIDER: .*"oauth"/);
  },
);

it("configuration of the CDK app is rejected without a base URL for an OpenAI-compatible model", () => {
  vi.stubEnv("MODEL_PROVIDER", "openai-compatible");
  expect(() => synthesize({ stage: "local" })).toThrow("MODEL_PROVIDER=openai-compatible requires MODEL_BASE_URL.");
});

it("configuration of the CDK app is rejected with one error that lists all invalid settings", () => {
  vi.stubEnv("RATE_LIMIT_TENANT", "many");
  vi.stubEnv("MODEL_BASE_URL", "nowhere");
  expect(() => synthesize()).toThrow(
    /RATE_LIMIT_TENANT: must be a positive integer.*\n.*MODEL_BASE_URL: must be a URL/,
  );
});

it("configuration of the CDK app is rejected with a model's API key in plain text in a deployed stage", () => {
  for (const key of ["sk-plain", "{{resolve:ssm-secure:model}}"]) {
    vi.stubEnv("MODEL_API_KEY", key);
    expect(() => synthesize({ stage: "dev" })).toThrow("MODEL_API_KEY must be a dynamic reference");
  }
  vi.stubEnv("MODEL_API_KEY", "{{resolve:secretsmanager:model:SecretString}}");
  expect(() => synthesize({ stage: "dev", routeIds })).not.toThrow();
});

it("every setting of the CDK app is part of the cache key of the synthesized app", () => {
  const patterns: string[] = JSON.parse(readFileSync("cdk.json", "utf8")).context["local:environment"];
  const names = Object.values(settings).flatMap((group) => Object.keys(group));
  expect(names.filter((name) => !patterns.some((pattern) => matchesGlob(name, pattern)))).toEqual([]);
});
