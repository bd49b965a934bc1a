import { afterEach, expect, it, vi } from "vitest";
import { resourcesOf, synthesize, type Templates } from "./synthesize.ts";

afterEach(() => vi.unstubAllEnvs());

function synthesizeWithKey(): Templates {
  vi.stubEnv("CUSTOMER_KEY", "on");
  return synthesize({ hasSite: true });
}

const namesKey = (value: unknown) => JSON.stringify(value ?? "").includes("DataKey");

it("customer-managed key encrypts the table and all buckets, queues and secrets but the public files", () => {
  // The bucket of the edge stack has the public programs of the website.
  const templates = new Map([...synthesizeWithKey()].filter(([file]) => !file.includes("-edge")));
  const [key, ...others] = resourcesOf(templates, "AWS::KMS::Key");
  expect([key?.Properties.EnableKeyRotation, others]).toEqual([true, []]);
  const encrypted = {
    "AWS::DynamoDB::Table": "SSESpecification",
    "AWS::S3::Bucket": "BucketEncryption",
    "AWS::SQS::Queue": "KmsMasterKeyId",
    "AWS::SecretsManager::Secret": "KmsKeyId",
  };
  for (const [type, property] of Object.entries(encrypted)) {
    const resources = resourcesOf(templates, type);
    expect(resources.length, type).toBeGreaterThan(0);
    for (const { Properties } of resources) {
      expect(namesKey(Properties[property]), JSON.stringify(Properties)).toBe(true);
      expect(Properties.SqsManagedSseEnabled).toBeUndefined();
    }
  }
});

it("customer-managed key may be used by each function that has data, through the services that have it, and by no other", () => {
  const templates = synthesizeWithKey();
  let usersOfKey = 0;
  for (const resources of templates.values()) {
    for (const { Type, Properties } of Object.values(resources)) {
      if (Type !== "AWS::Lambda::Function" || !Properties.FunctionName) continue;
      const role = resources[Properties.Role["Fn::GetAtt"][0]];
      const statements = role?.Properties.Policies[0].PolicyDocument.Statement as {
        Action: string | string[];
        Condition?: { StringEquals: { "kms:ViaService": unknown } };
      }[];
      const actions = statements.flatMap(({ Action }) => Action);
      const services = ["dynamodb", "s3", "secretsmanager", "sqs"].filter((service) =>
        actions.some((action) => action.startsWith(`${service}:`)),
      );
      const use = statements.find(({ Action }) => [Action].flat().includes("kms:Decrypt"));
      expect(use !== undefined, Properties.FunctionName).toBe(services.length > 0);
      if (!use) continue;
      usersOfKey++;
      expect(namesKey(use)).toBe(true);
      const via = JSON.stringify(use.Condition?.StringEquals["kms:ViaService"]);
      for (const service of services) expect(via).toContain(service);
      const writes = actions.some((action) => /^dynamodb:(Put|Update)|^s3:Put|^sqs:Send/.test(action));
      if (writes) expect(use.Action).toContain("kms:GenerateDataKey");
      else expect(use.Action).toEqual(["kms:Decrypt", "kms:DescribeKey"]);
    }
  }
  expect(usersOfKey).toBeGreaterThan(100);
});

it("deployment without the setting has no key", () => {
  expect(resourcesOf(synthesize(), "AWS::KMS::Key")).toEqual([]);
});

it("setting of the customer-managed key is refused with another value", () => {
  vi.stubEnv("CUSTOMER_KEY", "yes");
  expect(() => synthesize({ routeIds: ["getHealth"] })).toThrow("CUSTOMER_KEY");
});
