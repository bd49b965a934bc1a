import { expect, it } from "vitest";
import { type Resource, synthesize, type Templates } from "./synthesize.ts";

/** Calls to API Gateway's control plane that CloudFormation makes to create a resource, one after another. */
const callsByType: Readonly<Record<string, readonly string[]>> = {
  "AWS::ApiGateway::Resource": ["CreateResource"],
  "AWS::ApiGateway::Method": ["PutMethod", "PutIntegration"],
  "AWS::ApiGateway::Authorizer": ["CreateAuthorizer"],
  "AWS::ApiGateway::GatewayResponse": ["PutGatewayResponse"],
};

/** Responses of a method that has no function take two more calls. */
const callsOf = ({ Type, Properties }: Resource): readonly string[] => [
  ...(callsByType[Type] ?? []),
  ...(Properties?.Integration?.Type === "MOCK" ? ["PutMethodResponse", "PutIntegrationResponse"] : []),
];

/** Logical ids that a value refers to. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === "Ref") return [String(inner)];
    if (name === "Fn::GetAtt") return [String((inner as string[])[0])];
    return referencesIn(inner);
  });
}

type Dependent = Resource & { readonly DependsOn?: string | string[] };

/**
 * Returns how many resources of a template can be created at once, and their calls in each step, if a step takes as long as
 * a call and everything but API Gateway is created at once.
 */
function simulate(templates: Templates, resources: Readonly<Record<string, Resource>>) {
  const ids = Object.keys(resources);
  const required = new Map(
    ids.map((id) => {
      const { DependsOn = [], Properties } = resources[id] as Dependent;
      return [id, [...[DependsOn].flat(), ...referencesIn(Properties)].filter((other) => other in resources)];
    }),
  );
  const steps: string[][] = [];
  const doneAt = new Map<string, number>();
  const finish = (id: string): number => {
    const known = doneAt.get(id);
    if (known !== undefined) return known;
    const start = Math.max(0, ...(required.get(id) ?? []).map(finish));
    const resource = resources[id] as Resource;
    const nested = resource.Type === "AWS::CloudFormation::Stack" ? nestedSteps(templates, id) : null;
    const own = nested ?? callsOf(resource).map((call) => [call]);
    for (const [index, calls] of own.entries()) {
      const step = steps[start + index] ?? [];
      step.push(...calls);
      steps[start + index] = step;
    }
    doneAt.set(id, start + own.length);
    return start + own.length;
  };
  for (const id of ids) finish(id);
  return steps;
}

/** Returns the steps of a nested stack, whose template has the name of its construct. */
function nestedSteps(templates: Templates, logicalId: string): string[][] {
  const [name = ""] = logicalId.split("NestedStack");
  const file = [...templates.keys()].find((key) => new RegExp(`api${name}[0-9A-F]{8}\\.nested`).test(key));
  const resources = file === undefined ? undefined : templates.get(file);
  if (!resources) throw new Error(`No template of ${logicalId}`);
  return simulate(templates, resources);
}

const templates = synthesize();
const file = [...templates.keys()].find((name) => /prod-api\.template/.test(name)) ?? "";
const steps = simulate(templates, templates.get(file) ?? {});

const most = (counted: (call: string) => boolean) => Math.max(...steps.map((calls) => calls.filter(counted).length));

it("first deployment of the REST API creates at most five resources a second, if each call takes a second", () => {
  expect(steps.flat().filter((call) => call === "CreateResource").length).toBeGreaterThan(100);
  expect(most((call) => call === "CreateResource")).toBeLessThanOrEqual(5);
});

it("first deployment of the REST API makes at most ten calls a second other than CreateResource, beyond a burst of forty, if each call takes a second", () => {
  const counts = steps.map((calls) => calls.filter((call) => call !== "CreateResource").length);
  let burst = 40;
  for (const count of counts) {
    burst = Math.min(40, burst + 10 - count);
    expect(burst).toBeGreaterThanOrEqual(0);
  }
  expect(counts.slice(5).every((count) => count <= 10)).toBe(true);
});
