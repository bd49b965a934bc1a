import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { loadConfig } from "../../infra/config.ts";
import { awsLimits, type LimitUse, measureLimits, nearLimits, type StackTemplate } from "../../infra/limits.ts";
import { synthesizePlaceholders } from "../../infra/placeholder-templates.ts";
import { readTemplates } from "../../infra/read-templates.ts";
import { createRoute, type SynthesizeOptions, synthesize } from "./synthesize.ts";

/** Returns the templates as they are deployed, with their parameters and outputs. */
function templatesOf(options: SynthesizeOptions = {}): StackTemplate[] {
  const outdir = mkdtempSync(join(tmpdir(), "switchboard-templates-"));
  try {
    synthesize({ hasSite: true, ...options, outdir });
    return readTemplates(outdir);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

const production = templatesOf();
const namesOf = (uses: readonly LimitUse[]) => uses.map(({ name, use, quota }) => `${name}: ${use} of ${quota}`);

it("production stage uses at most 80 % of each limit of AWS, also twice in an account and with a web ACL", () => {
  expect(namesOf(nearLimits(measureLimits(production, 1)))).toEqual([]);
  expect(namesOf(nearLimits(measureLimits(production, 2)))).toEqual([]);
  expect(namesOf(nearLimits(measureLimits(templatesOf({ options: { waf: "true" } }), 2)))).toEqual([]);
});

it("ten cells in an account need higher quotas for IAM roles and response headers policies, which AWS grants", () => {
  expect(namesOf(nearLimits(measureLimits(production, 10))).map((text) => text.replace(/:.*/, ""))).toEqual([
    "IAM roles",
    "response headers policies",
  ]);
  const highest = measureLimits(production, 10, ({ quota, maximum }) => maximum ?? quota);
  expect(namesOf(nearLimits(highest))).toEqual([]);
});

it("limits of AWS each have a source, and are all used by a production stage but those of options", () => {
  for (const { name, source } of awsLimits) expect(source, name).toMatch(/^https:\/\/docs\.aws\.amazon\.com\/\S+$/);
  const unused = measureLimits(production).filter(({ use }) => use === 0);
  expect(unused.map(({ name }) => name)).toEqual([
    "reserved concurrent executions",
    "host names of a distribution",
    "web ACLs",
  ]);
});

it("limits of AWS are reached by a template that has as many resources, references or characters as they permit", () => {
  const many = (count: number, Type: string, Properties: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`R${index}`, { Type, Properties }]));
  const near = (template: StackTemplate) => nearLimits(measureLimits([template])).map(({ name }) => name);
  expect(near({ Resources: many(401, "AWS::Logs::LogGroup", {}) })).toEqual(["resources of a template"]);
  expect(near({ Resources: many(49, "T", { Value: "{{resolve:ssm:a}}" }) })).toEqual([
    "dynamic references of a template",
  ]);
  expect(near({ Resources: {}, Outputs: many(161, "T", {}), Parameters: many(161, "T", {}) })).toEqual([
    "parameters of a template",
    "outputs of a template",
  ]);
  expect(near({ Resources: many(81, "AWS::CloudFront::Function", {}) })).toEqual(["CloudFront functions"]);
  const Environment = { Variables: { MODELS: "m".repeat(3_300) } };
  expect(near({ Resources: many(1, "AWS::Lambda::Function", { Environment }) })).toEqual([
    "bytes of a function's variables",
  ]);
});

it("resources of an operation are those of a stack with its nested stacks, without other stacks", () => {
  const stack = (count: number, Type: string, isNested: boolean): StackTemplate => ({
    Resources: Object.fromEntries(Array.from({ length: count }, (_, index) => [`R${index}`, { Type }])),
    isNested,
  });
  const templates = [
    stack(300, "AWS::CloudFormation::Stack", false),
    ...Array.from({ length: 5 }, () => stack(350, "AWS::Logs::LogGroup", true)),
    stack(400, "AWS::Logs::LogGroup", false),
  ];
  expect(namesOf(nearLimits(measureLimits(templates)))).toEqual([
    "resources of an operation over nested stacks: 2050 of 2500",
  ]);
});

it("synthesizePlaceholders() makes the templates whose limits preflight measures, which are those of the deployment", () => {
  for (const [name, value] of Object.entries({
    MODEL_BASE_URL: "https://models.example.com/v1",
    JWT_ISSUER: "https://issuer.example.com/",
    JWT_AUDIENCE: "a",
    JWT_JWKS_URL: "https://issuer.example.com/k",
  }))
    vi.stubEnv(name, value);
  const config = loadConfig((name) => (name === "stage" ? "prod" : undefined));
  vi.unstubAllEnvs();
  const uses = (templates: readonly StackTemplate[]) =>
    Object.fromEntries(
      measureLimits(templates)
        .filter(({ name }) => !name.includes("bytes"))
        .map(({ name, use }) => [name, use]),
    );
  expect(uses(synthesizePlaceholders(config, process.cwd()))).toEqual(uses(production));
});

it("production stage has room for 300 more routes within 80 % of each limit", () => {
  const more = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const [feature, place] = [Math.floor(index / 15), index % 15];
      const path = `/v1/features${feature}`;
      const item = `${path}/{id}`;
      return createRoute({
        id: `doThing${index}`,
        group: `features${feature}`,
        method: (["GET", "POST", "PUT", "PATCH", "DELETE"] as const)[place % 5] ?? "GET",
        path: [path, item, `${item}/parts`][Math.floor(place / 5)] ?? path,
      });
    });
  const near = (count: number) =>
    namesOf(nearLimits(measureLimits(templatesOf({ routes: [...routes, ...more(count)] }))));
  expect(near(300)).toEqual([]);
  // With more than 300 paths, API Gateway needs a higher quota or a third API.
  expect(near(450)).toContainEqual(expect.stringMatching(/^paths of an API: /));
});

it("template has no indentation, which would count towards its quota", () => {
  const outdir = mkdtempSync(join(tmpdir(), "switchboard-templates-"));
  try {
    synthesize({ routeIds: ["getHealth"], outdir });
    const files = readdirSync(outdir).filter((file) => file.endsWith(".template.json"));
    expect(files).not.toEqual([]);
    for (const file of files) expect(readFileSync(join(outdir, file), "utf8"), file).not.toContain("\n");
  } finally {
    rmSync(outdir, { recursive: true });
  }
});

it("stacks with the operations of the API have three resources for each", () => {
  const operations = routes.filter(({ streaming }) => !streaming).length;
  const nested = [...synthesize()].filter(([file]) => file.includes("Routes"));
  expect(nested.flatMap(([, each]) => Object.values(each))).toHaveLength(operations * 3);
});
