import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readAssembly } from "../../../infra/local/assembly/assembly.ts";
import { Deployment } from "../../../infra/local/assembly/deployment.ts";
import { Secrets } from "../../../infra/local/secrets/secrets.ts";
import { temporaryDirectory, writeAssembly } from "./fixture.ts";

const directory = temporaryDirectory();
afterAll(directory.remove);

const addresses = { gateway: "127.0.0.1:8787", queues: "http://127.0.0.1:9000" };
const secretsFile = join(directory.path, "secrets.json");
let count = 0;

/** Resolves a value as a property of a probe resource in a template with the given sections. */
function resolve(value: unknown, sections: Record<string, unknown> = {}, resources: object = {}): unknown {
  const { Resources: sectionResources = {}, ...otherSections } = sections as { Resources?: object };
  const assembly = writeAssembly(join(directory.path, `assembly-${++count}`), {
    other: {
      Resources: { Far: { Type: "AWS::SQS::Queue" } },
      Outputs: {
        FarArn: { Value: { "Fn::GetAtt": ["Far", "Arn"] }, Export: { Name: { "Fn::Join": ["-", ["far", "arn"]] } } },
      },
    },
    main: {
      Resources: { Probe: { Type: "Test::Probe", Properties: { value } }, ...resources, ...sectionResources } as never,
      ...otherSections,
    },
  });
  const [probe] = new Deployment(readAssembly(assembly), addresses, new Secrets(secretsFile)).resources("Test::Probe");
  return probe?.properties.value;
}

const queue = { Queue: { Type: "AWS::SQS::Queue", Properties: { QueueName: "mine" } } };
const region = { Ref: "AWS::Region" };

test.each<[string, unknown, unknown]>([
  ["Ref of a pseudo parameter", region, "us-east-1"],
  ["Ref of a resource", { Ref: "Queue" }, "http://127.0.0.1:9000/000000000000/mine"],
  ["Fn::GetAtt", { "Fn::GetAtt": ["Queue", "Arn"] }, "arn:aws:sqs:us-east-1:000000000000:mine"],
  ["Fn::GetAtt with a dot", { "Fn::GetAtt": "Queue.QueueName" }, "mine"],
  ["Fn::Join", { "Fn::Join": ["-", ["a", region]] }, "a-us-east-1"],
  [
    "Fn::Sub",
    { "Fn::Sub": ["$" + "{x}/$" + "{Queue.QueueName}/$" + "{!literal}", { x: "y" }] },
    "y/mine/$" + "{literal}",
  ],
  ["Fn::Select of Fn::Split", { "Fn::Select": [1, { "Fn::Split": ["-", region] }] }, "east"],
  ["Fn::ImportValue", { "Fn::ImportValue": "far-arn" }, "arn:aws:sqs:us-east-1:000000000000:other-Far"],
  ["Fn::FindInMap", { "Fn::FindInMap": ["Sizes", region, "size"] }, 3],
  ["Fn::If", { "Fn::If": ["Always", "yes", "no"] }, "yes"],
  ["AWS::NoValue", [{ Ref: "AWS::NoValue" }, { a: { Ref: "AWS::NoValue" }, b: 1 }], [{ b: 1 }]],
  ["a parameter's default", { Ref: "Color" }, "blue"],
])("resolution of a CloudFormation template replaces %s by its value", (_, value, expected) => {
  const sections = {
    Mappings: { Sizes: { "us-east-1": { size: 3 } } },
    Parameters: { Color: { Type: "String", Default: "blue" } },
    Conditions: {
      Never: { "Fn::Equals": [region, "moon"] },
      Always: {
        "Fn::And": [
          { "Fn::Not": [{ Condition: "Never" }] },
          { "Fn::Or": [{ Condition: "Never" }, { "Fn::Equals": [1, "1"] }] },
        ],
      },
    },
  };
  expect(resolve(value, sections, queue)).toEqual(expected);
});

test("resolution of a CloudFormation template omits a resource whose condition is false", () => {
  const assembly = writeAssembly(join(directory.path, `assembly-${++count}`), {
    main: {
      Resources: { Queue: { Type: "AWS::SQS::Queue", Condition: "Never" } },
      Conditions: { Never: { "Fn::Equals": ["a", "b"] } },
    },
  });
  const deployment = new Deployment(readAssembly(assembly), addresses, new Secrets(secretsFile));
  expect(deployment.resources("AWS::SQS::Queue")).toEqual([]);
});

test("resolution of a CloudFormation template passes parameters to a nested stack and exposes its outputs", () => {
  const TemplateURL = { "Fn::Join": ["", ["https://s3.amazonaws.com/assets/", "inner.json"]] };
  const assembly = writeAssembly(
    join(directory.path, `assembly-${++count}`),
    {
      outer: {
        Resources: {
          Inner: { Type: "AWS::CloudFormation::Stack", Properties: { TemplateURL, Parameters: { Given: region } } },
          Probe: { Type: "Test::Probe", Properties: { value: { "Fn::GetAtt": ["Inner", "Outputs.Name"] } } },
        },
      },
    },
    {
      inner: {
        Parameters: { Given: { Type: "String" } },
        Resources: { Queue: { Type: "AWS::SQS::Queue" } },
        Outputs: {
          Name: { Value: { "Fn::Join": [" in ", [{ "Fn::GetAtt": ["Queue", "QueueName"] }, { Ref: "Given" }]] } },
        },
      },
    },
  );
  const [probe] = new Deployment(readAssembly(assembly), addresses, new Secrets(secretsFile)).resources("Test::Probe");
  expect(probe?.properties.value).toBe("outer-Inner-Queue in us-east-1");
});

test.each<[unknown, string]>([
  [{ Ref: "Nothing" }, "Stack main has no resource or parameter Nothing."],
  [{ "Fn::GetAtt": ["Queue", "Color"] }, "attribute Color of main/Queue (AWS::SQS::Queue)"],
  [{ "Fn::ImportValue": "nowhere" }, "main/Probe imports nowhere, which no stack exports."],
  [{ "Fn::Transform": {} }, "main/Probe uses Fn::Transform"],
  [{ Ref: "Loop" }, "Circular reference at main/Loop"],
])("unsupported value in a CloudFormation template leads to an error that names the resource: %j", (value, message) => {
  const loop = { Loop: { Type: "AWS::SQS::Queue", Properties: { QueueName: { Ref: "Loop" } } } };
  expect(() => resolve(value, {}, { ...queue, ...loop })).toThrow(message);
});

const secret = (properties: object) => ({ Secret: { Type: "AWS::SecretsManager::Secret", Properties: properties } });
const reference = (key = "") => ({
  "Fn::Join": ["", ["{{resolve:secretsmanager:", { Ref: "Secret" }, `:SecretString:${key}::}}`]],
});

test("generated Secrets Manager secret is created once, as the template specifies, in a file that only its owner can read", () => {
  const resources = secret({ GenerateSecretString: { PasswordLength: 20, ExcludePunctuation: true } });
  const value = resolve(reference(), {}, resources);
  expect(value).toMatch(/^[A-Za-z0-9]{20}$/);
  expect(resolve(reference(), {}, resources)).toBe(value);
  expect(statSync(secretsFile).mode & 0o777).toBe(0o600);
});

test("generated Secrets Manager secret can be one field of a JSON secret", () => {
  const document = { GenerateSecretString: { SecretStringTemplate: '{"user":"me"}', GenerateStringKey: "password" } };
  const resources = { Probe2: { Type: "Test::Other" }, ...secret({ Name: "named", ...document }) };
  expect(resolve("{{resolve:secretsmanager:named:SecretString:user::}}", {}, resources)).toBe("me");
  expect(resolve(reference("password"), {}, resources)).toHaveLength(32);
});
