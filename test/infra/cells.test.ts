import { expect, it } from "vitest";
import { createRoute, resourcesOf, synthesize } from "./synthesize.ts";

const certificate = "arn:aws:acm:us-east-1:111122223333:certificate/1";
const routes = [
  createRoute({ id: "getThing", path: "/v1/things/{id}" }),
  createRoute({ id: "followThing", path: "/v1/things/{id}/stream", streaming: true }),
];
const cellOf = (stage: string, domain: string) => synthesize({ stage, routes, options: { domain, certificate } });

/** Returns the texts that name resources: physical names, exports and stacks. */
function namesOf(templates: ReturnType<typeof synthesize>): string[] {
  const text = JSON.stringify([...templates]);
  return [...new Set(text.match(/"(?:\/aws\/lambda\/)?switchboard-[\w-]+/g))];
}

it("cell of the deployment is a stage with a table and names of its own, which no other cell shares", () => {
  const [first, second] = [cellOf("prod", "chat.example.com"), cellOf("west", "west.example.com")];
  const tables = [first, second].flatMap((cell) => resourcesOf(cell, "AWS::DynamoDB::Table"));
  expect(tables.map(({ Properties }) => Properties.TableName)).toEqual([
    "switchboard-prod-table",
    "switchboard-west-table",
  ]);
  expect(namesOf(first).length).toBeGreaterThan(20);
  expect(namesOf(first).filter((name) => namesOf(second).includes(name))).toEqual([]);
});

it("cell of the deployment serves the domain names of its tenants as well as its own domain name", () => {
  const cell = cellOf("west", "west.example.com,acme.chat.example.com,*.west.example.com");
  const [distribution] = resourcesOf(cell, "AWS::CloudFront::Distribution");
  expect(distribution?.Properties.DistributionConfig.Aliases).toEqual([
    "west.example.com",
    "acme.chat.example.com",
    "*.west.example.com",
  ]);
  const [alarm] = resourcesOf(cell, "AWS::CloudWatch::Alarm");
  expect(alarm?.Properties.AlarmDescription).toContain("https://west.example.com/docs");
});

it.each([
  ["an empty name", "chat.example.com,", "is no name of a host in lower case"],
  ["upper case", "chat.example.com,Acme.example.com", '"Acme.example.com" is no name'],
  ["a wildcard as address", "*.example.com", "the first name is the address"],
  ["101 names", Array.from({ length: 101 }, (_, n) => `t${n}.example.com`).join(), "100 names at most"],
])("cell of the deployment refuses a list of domain names with %s", (_, domain, message) => {
  expect(() => cellOf("west", domain)).toThrow(message);
});
