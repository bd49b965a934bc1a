import { readFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { settings } from "#shared/lib/env.ts";
import { metricNamespace } from "#shared/lib/metrics.ts";
import { kebabCase } from "../../infra/naming.ts";
import { SynthesisError } from "../../infra/synthesis-error.ts";
import { manyRoutes, resourcesOf, synthesise } from "./synthesise.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const variablesOf = (stage: "local" | "dev" | "prod") =>
  resourcesOf(synthesise({ stage }), "AWS::Lambda::Function").map(({ Properties }) => Properties.Environment.Variables);

describe("stages", () => {
  it.each([
    ["local", false],
    ["dev", true],
    ["prod", true],
  ] as const)("%s needs no credentials or settings, and protects its data from deletion: %s", (stage, protects) => {
    const templates = synthesise({ stage });
    expect(resourcesOf(templates, "AWS::CloudFront::Distribution")).toHaveLength(1);
    expect(resourcesOf(templates, "AWS::DynamoDB::Table").map(({ Properties }) => Properties)).toMatchObject([
      {
        BillingMode: "PAY_PER_REQUEST",
        DeletionProtectionEnabled: protects,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
        TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
      },
    ]);
  });

  it("keeps every stack well below CloudFormation's 500 resources with 110 routes", () => {
    const counts = [...synthesise({ routes: manyRoutes(110) }).values()].map(
      (resources) => Object.keys(resources).length,
    );
    expect(Math.max(...counts)).toBeLessThan(450);
  });

  it("looks up no more secrets in a stack than the 60 that CloudFormation takes, a model's key included", () => {
    vi.stubEnv("MODEL_API_KEY", "{{resolve:secretsmanager:model:SecretString}}");
    const counts = [...synthesise().values()].map(
      (resources) => JSON.stringify(resources ?? {}).split("{{resolve:").length - 1,
    );
    expect(Math.max(...counts)).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(60);
  });
});

describe("jobs", () => {
  it("may hand over to themselves as often as it takes, which nothing else may", () => {
    const again = resourcesOf(synthesise(), "AWS::Lambda::Function")
      .filter(({ Properties }) => Properties.RecursiveLoop === "Allow")
      .map(({ Properties }) => Properties.FunctionName);
    expect(again.toSorted()).toEqual(["switchboard-prod-continue-run", "switchboard-prod-watch-run"]);
  });
});

describe("alarms", () => {
  const alarms = resourcesOf(synthesise(), "AWS::CloudWatch::Alarm").map(({ Properties }) => Properties);
  const alarm = (name: string) => alarms.find(({ AlarmName }) => AlarmName === `switchboard-prod-${name}`);

  it("look at what functions count themselves", () => {
    expect(alarm("limiter-failures")).toMatchObject({
      Namespace: metricNamespace,
      MetricName: "rate_limiter_failed",
      Dimensions: [{ Name: "stage", Value: "prod" }],
    });
  });

  it("may tell their topic", () => {
    const [topic] = resourcesOf(synthesise(), "AWS::SNS::TopicPolicy");
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

  it("look at every function that streams", () => {
    const monitoredFunctions = alarm("stream-errors").Metrics.flatMap(
      ({ MetricStat }: { MetricStat?: { Metric: { MetricName: string; Dimensions: { Value: string }[] } } }) =>
        MetricStat?.Metric.MetricName === "Url5xxCount" ? MetricStat.Metric.Dimensions.map(({ Value }) => Value) : [],
    );
    const streaming = routes.filter((route) => route.streaming).map(({ id }) => `switchboard-prod-${kebabCase(id)}`);
    expect(monitoredFunctions.toSorted()).toEqual(streaming.toSorted());
  });
});

describe("settings", () => {
  it("runs in local mode on a laptop unless told otherwise", () => {
    expect(variablesOf("local")[0]).toMatchObject({
      AUTH_PROVIDER: "local",
      DEV_TENANT_ID: "local",
      DEV_USER_ID: "me",
    });
  });

  it.each(["dev", "prod"] as const)("never deploys local mode to %s", (stage) => {
    vi.stubEnv("AUTH_PROVIDER", "local");
    expect(() => synthesise({ stage })).toThrow(SynthesisError);
    expect(() => synthesise({ stage })).toThrow("only allowed with stage=local");
  });

  it("wants to know whose tokens to trust on a laptop", () => {
    vi.stubEnv("AUTH_PROVIDER", "jwt");
    vi.stubEnv("JWT_ISSUER", "http://localhost:9000");
    expect(() => synthesise({ stage: "local" })).toThrow("AUTH_PROVIDER=jwt requires JWT_AUDIENCE, JWT_JWKS_URL.");
  });

  it.each(["local", "dev"] as const)("knows two ways to sign in, in stage %s", (stage) => {
    vi.stubEnv("AUTH_PROVIDER", "oauth");
    expect(() => synthesise({ stage })).toThrow(/AUTH_PROVIDER: .*"oauth"/);
  });

  it("wants to know where a model of somebody else's is", () => {
    vi.stubEnv("MODEL_PROVIDER", "openai-compatible");
    expect(() => synthesise()).toThrow("MODEL_PROVIDER=openai-compatible requires MODEL_BASE_URL.");
  });

  it("names every setting that is not acceptable", () => {
    vi.stubEnv("RATE_LIMIT_TENANT", "many");
    vi.stubEnv("MODEL_BASE_URL", "nowhere");
    expect(() => synthesise()).toThrow(
      /RATE_LIMIT_TENANT: must be a positive integer.*\n.*MODEL_BASE_URL: must be a URL/,
    );
  });

  it("keeps a model's key out of templates that are deployed", () => {
    for (const key of ["sk-plain", "{{resolve:ssm-secure:model}}"]) {
      vi.stubEnv("MODEL_API_KEY", key);
      expect(() => synthesise({ stage: "dev" })).toThrow("MODEL_API_KEY must be a dynamic reference");
    }
    vi.stubEnv("MODEL_API_KEY", "{{resolve:secretsmanager:model:SecretString}}");
    expect(() => synthesise({ stage: "dev" })).not.toThrow();
  });

  it("are known to whoever caches what was synthesised", () => {
    const patterns: string[] = JSON.parse(readFileSync("cdk.json", "utf8")).context["local:environment"];
    const names = Object.values(settings).flatMap((group) => Object.keys(group));
    expect(names.filter((name) => !patterns.some((pattern) => matchesGlob(name, pattern)))).toEqual([]);
  });

  it("passes settings on to the functions of each kind that need them", () => {
    vi.stubEnv("RATE_LIMIT_TENANT", "7");
    const functions = resourcesOf(synthesise(), "AWS::Lambda::Function");
    const variablesOfFunction = (name: string) =>
      functions.find(({ Properties }) => Properties.FunctionName === `switchboard-prod-${name}`)?.Properties.Environment
        .Variables;
    expect(variablesOfFunction("get-me")).toMatchObject({
      RATE_LIMIT_TENANT: "7",
      STAGE: "prod",
      SERVICE_VERSION: "1.2.3",
    });
    expect(variablesOfFunction("start-chat")).toHaveProperty("ORIGIN_SECRET");
    expect(variablesOfFunction("get-me")).toHaveProperty("APP_SECRET");
    expect(variablesOfFunction("changes-cascade")).not.toHaveProperty("APP_SECRET");
    expect(variablesOfFunction("authorizer-jwt")).not.toHaveProperty("RATE_LIMIT_TENANT");
    expect(variablesOfFunction("changes-cascade")).not.toHaveProperty("JWT_ISSUER");
  });
});
