import { describe, expect, it } from "vitest";
import { type Resource, resourcesOf, synthesize, type Templates } from "./synthesize.ts";

const streamingOf = (templates: Templates): Readonly<Record<string, Resource>> =>
  [...templates].find(([file]) => file.includes("streaming"))?.[1] ?? {};
const withOption = streamingOf(synthesize({ options: { canary: "true" } }));
const idsOf = (type: string) => Object.entries(withOption).filter(([, { Type }]) => Type === type);

describe("option canary", () => {
  it("moves the aliases of chat and completions with CodeDeploy, 10 % first", () => {
    const aliases = idsOf("AWS::Lambda::Alias");
    const names = aliases.map(([, alias]) => {
      const { Ref } = alias.Properties.FunctionName;
      return withOption[Ref]?.Properties.FunctionName;
    });
    expect(names.toSorted()).toEqual(
      ["create-chat-completion", "create-completion", "start-chat"].map((name) => `switchboard-prod-${name}`),
    );
    for (const [, alias] of aliases) {
      const { CodeDeployLambdaAliasUpdate } = (alias as Resource & { UpdatePolicy: Record<string, object> })
        .UpdatePolicy;
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

  it("lets CloudFront call the aliases, and keeps the addresses of the functions", () => {
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

  it("adds nothing by default", () => {
    const templates = synthesize();
    for (const type of ["AWS::Lambda::Alias", "AWS::Lambda::Version", "AWS::CodeDeploy::DeploymentGroup"]) {
      expect(resourcesOf(templates, type)).toEqual([]);
    }
  });
});
