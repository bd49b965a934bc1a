import { expect, it } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { createRoute, resourcesOf, synthesize, type Templates } from "./synthesize.ts";

/**
 * Quotas of AWS that a deployment meets with its routes. None can be raised before the first deployment.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const quotas = {
  "resources of a stack": 500,
  "resources of an operation": 2_500,
  "bytes of a template": 1_000_000,
  "dynamic references of a template": 60,
  "paths of the API": 300,
  "authorizers of the API": 10,
  "IAM roles of an account": 1_000,
} as const;

function measure(templates: Templates): Record<keyof typeof quotas, number> {
  const resources = [...templates.values()];
  const counts = resources.map((each) => Object.keys(each).length);
  const texts = resources.map((each) => JSON.stringify(each));
  const body = resourcesOf(templates, "AWS::ApiGateway::RestApi")[0]?.Properties.Body;
  return {
    "resources of a stack": Math.max(...counts),
    "resources of an operation": counts.reduce((sum, count) => sum + count, 0),
    "bytes of a template": Math.max(...texts.map((text) => Buffer.byteLength(text))),
    "dynamic references of a template": Math.max(...texts.map((text) => text.match(/\{\{resolve:/g)?.length ?? 0)),
    "paths of the API": Object.keys(body.paths).length,
    "authorizers of the API": Object.keys(body.components.securitySchemes).length,
    "IAM roles of an account": resourcesOf(templates, "AWS::IAM::Role").length,
  };
}

const nearQuota = (measured: Readonly<Record<string, number>>, exempt: readonly string[] = []) =>
  Object.entries(quotas).filter(([name, quota]) => !exempt.includes(name) && (measured[name] ?? 0) > quota * 0.8);

it("production stage uses at most 80 % of each quota, also with a web ACL", () => {
  expect(nearQuota(measure(synthesize()))).toEqual([]);
  expect(nearQuota(measure(synthesize({ options: { waf: "true" } })))).toEqual([]);
});

it("production stage has room for 300 more routes in its stacks and templates, and for 100 on paths of their own", () => {
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
  expect(nearQuota(measure(synthesize({ routes: [...routes, ...more(100)] })))).toEqual([]);
  // With more than 300 paths, API Gateway needs a higher quota or a second API.
  expect(nearQuota(measure(synthesize({ routes: [...routes, ...more(300)] })), ["paths of the API"])).toEqual([]);
});

it("stack of the API has at most 60 resources, because operations are in nested stacks and three resources each", () => {
  const templates = synthesize();
  const api = templates.get("switchboard-prod-api.template.json") ?? {};
  expect(Object.keys(api).length).toBeLessThanOrEqual(60);
  const operations = routes.filter(({ streaming }) => !streaming).length;
  const nested = [...templates].filter(([file]) => file.includes("Routes"));
  const resources = nested.flatMap(([, each]) => Object.values(each));
  expect(resources).toHaveLength(operations * 3);
});
