import type { Deployment } from "../assembly/deployment.ts";
import { AwsException } from "../aws-json.ts";
import { type Fields, text } from "../json.ts";
import type { Secrets } from "./secrets.ts";

/** Emulates Secrets Manager for the secrets in the templates. Generates missing values at the start. */
export class SecretsManager {
  readonly #deployment: Deployment;
  readonly #values: Secrets;

  constructor(deployment: Deployment, values: Secrets) {
    this.#deployment = deployment;
    this.#values = values;
    // Developers read the deployment key from the state directory, possibly before any function does.
    for (const { path, properties } of deployment.resources("AWS::SecretsManager::Secret")) {
      values.getVersion(path, properties);
    }
  }

  /**
   * Handles a call of the Secrets Manager JSON protocol.
   * @param authorize throws AwsError if the caller may not access the secret with an ARN
   * @throws AwsError when the secret does not exist or the operation is not supported
   * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_Operations.html
   */
  call(operation: string, { SecretId, SecretString }: Fields, authorize: (arn: string) => void): object {
    const secrets = this.#deployment.resources("AWS::SecretsManager::Secret");
    const secret = secrets.find(({ ref, properties }) => [ref, properties.Name].includes(SecretId));
    if (!secret) {
      throw new AwsException("ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
    }
    const { ref: ARN, path, properties } = secret;
    authorize(ARN);
    const identity = { ARN, Name: text(properties.Name) };
    switch (operation) {
      case "GetSecretValue": {
        const { value, createdAtMs } = this.#values.getVersion(path, properties);
        return { ...identity, SecretString: value, CreatedDate: createdAtMs / 1_000 };
      }
      case "PutSecretValue":
        this.#values.putValue(path, properties, text(SecretString) ?? "");
        return identity;
      default:
        throw new AwsException("InvalidRequestException", `The local Secrets Manager does not support ${operation}.`);
    }
  }
}
