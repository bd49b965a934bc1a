import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readAssembly } from "../../../infra/local/assembly/assembly.ts";
import { Deployment } from "../../../infra/local/assembly/deployment.ts";
import { AwsException } from "../../../infra/local/aws-json.ts";
import { Secrets } from "../../../infra/local/secrets/secrets.ts";
import { SecretsManager } from "../../../infra/local/secrets/secrets-manager.ts";
import { temporaryDirectory, writeAssembly } from "./fixture.ts";

const directory = temporaryDirectory();
afterAll(directory.remove);

const arn = expect.stringMatching(/^arn:aws:secretsmanager:us-east-1:000000000000:secret:signing-\w{6}$/);
const generator = { ExcludePunctuation: true, PasswordLength: 20 };

/** Starts Secrets Manager on the same state; returns a function that calls it, by default with all rights. */
function start(GenerateSecretString: object = generator) {
  const assembly = writeAssembly(join(directory.path, JSON.stringify(GenerateSecretString).replace(/\W/g, "")), {
    main: {
      Resources: {
        Secret: { Type: "AWS::SecretsManager::Secret", Properties: { Name: "signing", GenerateSecretString } },
      },
    },
  });
  const values = new Secrets(join(directory.path, "secrets.json"));
  const addresses = { gateway: "127.0.0.1:8787", queues: "http://127.0.0.1:9000" };
  const secrets = new SecretsManager(new Deployment(readAssembly(assembly), addresses, values), values);
  return (operation: string, input: object = {}, authorize: (arn: string) => void = () => {}) =>
    secrets.call(operation, { SecretId: "signing", ...input }, authorize) as Record<string, string>;
}

it("local Secrets Manager returns a generated value by name and by ARN", () => {
  const call = start();
  const generated = call("GetSecretValue");
  const expected = { ARN: arn, Name: "signing", SecretString: expect.stringMatching(/^\w{20}$/), CreatedDate: 0 };
  expect(generated).toEqual(expected);
  expect(call("GetSecretValue", { SecretId: generated.ARN })).toEqual(generated);
});

it("local Secrets Manager keeps a stored value with its time over restarts, and generates another if the template changes", () => {
  const startedAt = Date.now() / 1_000;
  start()("PutSecretValue", { SecretString: "rotated" });
  const { SecretString, CreatedDate } = start()("GetSecretValue");
  expect(SecretString).toBe("rotated");
  expect(Number(CreatedDate)).toBeGreaterThanOrEqual(startedAt);
  expect(start({ PasswordLength: 8 })("GetSecretValue").SecretString).toHaveLength(8);
});

it("local Secrets Manager lets only callers with the right to a secret read or change it", () => {
  const deny = (denied: string) => {
    throw new AwsException("AccessDeniedException", denied);
  };
  expect(() => start()("GetSecretValue", {}, deny)).toThrow(/^arn:aws:secretsmanager:.*:secret:signing-/);
  expect(() => start()("PutSecretValue", { SecretString: "forged" }, deny)).toThrow("signing");
  expect(start()("GetSecretValue").SecretString).not.toBe("forged");
});

it("local Secrets Manager rejects unknown secrets and operations", () => {
  expect(() => start()("GetSecretValue", { SecretId: "other" })).toThrow("can't find the specified secret");
  expect(() => start()("DeleteSecret")).toThrow("does not support DeleteSecret");
});
