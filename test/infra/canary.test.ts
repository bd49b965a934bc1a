import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type Resource, resourcesOf, synthesize, type Templates } from "./synthesize.ts";

const streamingOf = (templates: Templates): Readonly<Record<string, Resource>> =>
  [...templates].find(([file]) => file.includes("streaming"))?.[1] ?? {};
const withOption = streamingOf(synthesize({ options: { canary: "true" } }));
const idsOf = (type: string) => Object.entries(withOption).filter(([, { Type }]) => Type === type);

it("option canary lets CodeDeploy move the aliases of chat and completions to a new version, 10 % first", () => {
  const aliases = idsOf("AWS::Lambda::Alias");
  const names = aliases.map(([, alias]) => {
    const { Ref } = alias.Properties.FunctionName;
    return withOption[Ref]?.Properties.FunctionName;
  });
  expect(names.toSorted()).toEqual(
    ["create-chat-completion", "create-completion", "start-chat"].map((name) => `switchboard-prod-${name}`),
  );
  for (const [, alias] of aliases) {
    const { CodeDeployLambdaAliasUpdate } = (alias as Resource & { UpdatePolicy: Record<string, object> }).UpdatePolicy;
    expect(CodeDeployLambdaAliasUpdate).toMatchObject({ DeploymentGroupName: { Ref: expect.any(String) } });
  }
  for (const [, { Properties }] of idsOf("AWS::CodeDeploy::DeploymentGroup")) {
    expect(Properties.DeploymentConfigName).toBe("CodeDeployDefault.LambdaCanary10Percent5Minutes");
    expect(Properties.AutoRollbackConfiguration).toMatchObject({
      Enabled: true,
      Events: expect.arrayContaining(["DEPLOYMENT_STOP_ON_ALARM"]),
    });
    expect(Properties.AlarmConfiguration.Alarms).toHaveLength(2);
  }
});

it("option canary has alarms for faults of the alias's own function only, each of which names its section of the runbook", () => {
  const alarms = idsOf("AWS::CloudWatch::Alarm").map(([, { Properties }]) => Properties);
  const sections = readFileSync("docs/runbooks.md", "utf8").match(/^## .+$/gm) ?? [];
  expect(alarms).toHaveLength(6);
  for (const { AlarmName, AlarmDescription, Metrics = [], MetricName, Dimensions } of alarms) {
    const [, name = "", section] = /^switchboard-prod-(.+)-(canary-\w+)$/.exec(AlarmName) ?? [];
    expect(AlarmDescription).toMatch(new RegExp(`#${section}$`));
    expect(sections).toContain(`## ${section}`);
    const metrics = [
      { MetricName, Dimensions },
      ...Metrics.map((each: Resource["Properties"]) => each.MetricStat?.Metric ?? {}),
    ];
    const own = metrics.find((each) => ["code_faults", "cut_off_streams"].includes(each.MetricName));
    expect(own?.Dimensions).toContainEqual({ Name: "function", Value: `switchboard-prod-${name}` });
    const period = Metrics.find((each: Resource["Properties"]) => each.MetricStat)?.MetricStat.Period ?? 60;
    expect(period).toBe(60);
  }
  expect(JSON.stringify(alarms)).not.toMatch(/failed_streams|provider_errors/);
});

it("option canary lets CloudFront call the aliases, and keeps the addresses of the functions", () => {
  const urls = idsOf("AWS::Lambda::Url").map(([, { Properties }]) => Properties);
  const permissions = idsOf("AWS::Lambda::Permission").map(([, { Properties }]) => Properties);
  const aliasIds = idsOf("AWS::Lambda::Alias").map(([id]) => id);
  const own = Object.values(streamingOf(synthesize())).filter(({ Type }) => Type === "AWS::Lambda::Url");
  expect(urls).toHaveLength(own.length + aliasIds.length);
  expect(urls.filter(({ Qualifier }) => Qualifier === "live")).toHaveLength(aliasIds.length);
  for (const id of aliasIds) {
    const granted = permissions.filter(({ FunctionName }) => FunctionName.Ref === id);
    expect(granted.map(({ Action }) => Action)).toContain("lambda:InvokeFunctionUrl");
  }
});

it("option canary adds nothing by default", () => {
  const templates = synthesize();
  for (const type of ["AWS::Lambda::Alias", "AWS::Lambda::Version", "AWS::CodeDeploy::DeploymentGroup"]) {
    expect(resourcesOf(templates, type)).toEqual([]);
  }
});
