import { afterEach, describe, expect, it, vi } from "vitest";
import { resourcesOf, synthesise, type Templates } from "./synthesise.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Statements of the roles in all templates that allow an action of Bedrock's. */
function bedrockStatements(templates: Templates): { Action: string | string[]; Resource: unknown }[] {
  return resourcesOf(templates, "AWS::IAM::Role")
    .flatMap(({ Properties }) => Properties.Policies ?? [])
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Action }) => [Action].flat().some((action: string) => action.startsWith("bedrock:")));
}

describe("Bedrock", () => {
  it("is nobody's to use unless it is configured", () => {
    expect(bedrockStatements(synthesise())).toEqual([]);
  });

  it("is asked for the configured models by the streaming functions, the fallback among them", () => {
    vi.stubEnv("MODEL_PROVIDER", "bedrock");
    vi.stubEnv("MODEL_ID", "amazon.nova-pro-v1:0");
    vi.stubEnv("MODEL_FALLBACK", "eu.amazon.nova-lite-v1:0");
    const text = JSON.stringify(bedrockStatements(synthesise()));
    expect(text).toContain("foundation-model/amazon.nova-pro-v1:0");
    expect(text).toContain("inference-profile/eu.amazon.nova-lite-v1:0");
    expect(text).not.toContain("ApplyGuardrail");
  });

  it("lets an inference profile of the account's own choose its model", () => {
    const profile = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc";
    vi.stubEnv("MODEL_PROVIDER", "bedrock");
    vi.stubEnv("MODEL_ID", profile);
    const text = JSON.stringify(bedrockStatements(synthesise()));
    expect(text).toContain(`"${profile}"`);
    expect(text).toContain(":bedrock:*::foundation-model/*");
  });

  it.each(["jp", "us-gov"])("lets an inference profile of the geography %s choose among its regions", (geography) => {
    vi.stubEnv("MODEL_PROVIDER", "bedrock");
    vi.stubEnv("MODEL_ID", `${geography}.anthropic.claude-sonnet-4-5-20250929-v1:0`);
    const text = JSON.stringify(bedrockStatements(synthesise()));
    expect(text).toContain(`inference-profile/${geography}.anthropic.claude-sonnet-4-5-20250929-v1:0`);
    expect(text).toContain(":bedrock:*::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0");
  });

  it.each([
    ["gr-1", ":guardrail/gr-1"],
    [
      "arn:aws:bedrock:eu-central-1:111122223333:guardrail/gr-2",
      "arn:aws:bedrock:eu-central-1:111122223333:guardrail/gr-2",
    ],
  ])("checks texts with the guardrail %s, and with no other", (id, arn) => {
    vi.stubEnv("GUARDRAIL_PROVIDER", "bedrock");
    vi.stubEnv("GUARDRAIL_ID", id);
    const statements = bedrockStatements(synthesise());
    expect(statements.length).toBeGreaterThan(1);
    for (const { Action, Resource } of statements) {
      expect(Action).toBe("bedrock:ApplyGuardrail");
      expect(JSON.stringify(Resource)).toContain(arn);
    }
  });

  it("needs to know which guardrail", () => {
    vi.stubEnv("GUARDRAIL_PROVIDER", "bedrock");
    expect(() => synthesise()).toThrow("GUARDRAIL_PROVIDER=bedrock requires GUARDRAIL_ID.");
    vi.stubEnv("GUARDRAIL_PROVIDER", "magic");
    expect(() => synthesise()).toThrow("GUARDRAIL_PROVIDER");
  });
});
