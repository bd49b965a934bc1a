import { afterEach, expect, it, vi } from "vitest";
import { resourcesOf, synthesize as synthesizeRoutes, type Templates } from "./synthesize.ts";

/** Synthesizes two functions that call models and guardrails, and one that calls neither. */
const synthesize = () => synthesizeRoutes({ routeIds: ["startChat", "createChatCompletion", "listFolders"] });

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Returns all role statements that allow a Bedrock action. */
function listBedrockStatements(templates: Templates): { Action: string | string[]; Resource: unknown }[] {
  return resourcesOf(templates, "AWS::IAM::Role")
    .flatMap(({ Properties }) => Properties.Policies ?? [])
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Action }) => [Action].flat().some((action: string) => action.startsWith("bedrock:")));
}

it("IAM permission to use Bedrock is not granted unless Bedrock is configured", () => {
  expect(listBedrockStatements(synthesize())).toEqual([]);
});

it("IAM permission to use Bedrock covers the configured model and the fallback model only", () => {
  vi.stubEnv("MODEL_PROVIDER", "bedrock");
  vi.stubEnv("MODEL_ID", "amazon.nova-pro-v1:0");
  vi.stubEnv("MODEL_FALLBACK", "eu.amazon.nova-lite-v1:0");
  const text = JSON.stringify(listBedrockStatements(synthesize()));
  expect(text).toContain("foundation-model/amazon.nova-pro-v1:0");
  expect(text).toContain("inference-profile/eu.amazon.nova-lite-v1:0");
  expect(text).not.toContain("ApplyGuardrail");
});

it("IAM permission to use Bedrock covers any model behind a configured application inference profile", () => {
  const profile = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc";
  vi.stubEnv("MODEL_PROVIDER", "bedrock");
  vi.stubEnv("MODEL_ID", profile);
  const text = JSON.stringify(listBedrockStatements(synthesize()));
  expect(text).toContain(`"${profile}"`);
  expect(text).toContain(":bedrock:*::foundation-model/*");
});

it.each(["jp", "us-gov"])(
  "IAM permission to use Bedrock covers every region of the geography %s of an inference profile",
  (geography) => {
    vi.stubEnv("MODEL_PROVIDER", "bedrock");
    vi.stubEnv("MODEL_ID", `${geography}.anthropic.claude-sonnet-4-5-20250929-v1:0`);
    const text = JSON.stringify(listBedrockStatements(synthesize()));
    expect(text).toContain(`inference-profile/${geography}.anthropic.claude-sonnet-4-5-20250929-v1:0`);
    expect(text).toContain(":bedrock:*::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0");
  },
);

it.each([
  ["gr-1", ":guardrail/gr-1"],
  [
    "arn:aws:bedrock:eu-central-1:111122223333:guardrail/gr-2",
    "arn:aws:bedrock:eu-central-1:111122223333:guardrail/gr-2",
  ],
])("IAM permission to use Bedrock covers only the configured guardrail %s", (id, arn) => {
  vi.stubEnv("GUARDRAIL_PROVIDER", "bedrock");
  vi.stubEnv("GUARDRAIL_ID", id);
  const statements = listBedrockStatements(synthesize());
  expect(statements.length).toBeGreaterThan(1);
  for (const { Action, Resource } of statements) {
    expect(Action).toBe("bedrock:ApplyGuardrail");
    expect(JSON.stringify(Resource)).toContain(arn);
  }
});

it("IAM permission to use Bedrock cannot be synthesized without a guardrail id or with an unknown guardrail provider", () => {
  vi.stubEnv("GUARDRAIL_PROVIDER", "bedrock");
  expect(() => synthesize()).toThrow("GUARDRAIL_PROVIDER=bedrock requires GUARDRAIL_ID.");
  vi.stubEnv("GUARDRAIL_PROVIDER", "magic");
  expect(() => synthesize()).toThrow("GUARDRAIL_PROVIDER");
});
