import { randomBytes, randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { awsClient } from "../shared/lib/aws/aws-client.ts";
import { now } from "../shared/lib/clock.ts";

/** Value of a secret that has been rotated. */
interface RotatedValue {
  readonly current: string;
  readonly previous?: string;
  readonly older?: readonly string[];
}

/** Options of `rotate`. */
export interface RotateOptions {
  /** Removes all secrets but the current one, instead of adding a new one. */
  readonly revoke?: boolean;
  /** Rotates a secret that was changed less than a day ago. */
  readonly force?: boolean;
}

const DAY_MS = 24 * 3_600_000;

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_Operations.html */
function secretsManager(): (operation: string, input: object) => Promise<Record<string, unknown>> {
  const client = awsClient({
    environmentName: "SECRETS_MANAGER",
    hostPrefix: "secretsmanager",
    signingName: "secretsmanager",
    timeoutMs: 10_000,
    maxAttempts: 3,
  });
  return (operation, input) =>
    client({
      path: "/",
      headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": `secretsmanager.${operation}` },
      body: JSON.stringify(input),
    });
}

/** Parses the value of a secret. Before its first rotation, the app secret is not JSON. */
const parseValue = (text: string): RotatedValue => (text.startsWith("{") ? JSON.parse(text) : { current: text });

/**
 * Returns the value after a rotation.
 * @param keepsOlder true if the secret verifies credentials that others store
 */
function rotateValue({ current, previous, older = [] }: RotatedValue, keepsOlder: boolean): RotatedValue {
  const rotated = { current: randomBytes(48).toString("base64url"), previous: current };
  return keepsOlder ? { ...rotated, older: previous ? [previous, ...older] : older } : rotated;
}

/**
 * Rotates the app secret or the origin secret of a stage.
 * @throws AwsError if the secret does not exist; Error if it was changed less than a day ago
 */
export async function rotate(secretName: string, { revoke = false, force = false }: RotateOptions = {}): Promise<void> {
  const call = secretsManager();
  const { SecretString, CreatedDate } = await call("GetSecretValue", { SecretId: secretName });
  const value = parseValue(String(SecretString));
  if (!revoke && !force && value.previous && now() - Number(CreatedDate) * 1_000 < DAY_MS) {
    throw new Error(
      "The secret was changed less than a day ago. Another rotation rejects what is made with the previous value. " +
        "Rotate the secret tomorrow, or with --force.",
    );
  }
  const changed = revoke
    ? { current: value.current, previous: "" }
    : rotateValue(value, secretName.endsWith("app-secret"));
  await call("PutSecretValue", {
    SecretId: secretName,
    SecretString: JSON.stringify(changed),
    ClientRequestToken: randomUUID(),
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [secretName, ...flags] = process.argv.slice(2);
  const unknown = flags.find((flag) => !["--revoke", "--force"].includes(flag));
  if (!secretName || secretName.startsWith("-") || unknown) {
    throw new Error("Name the secret: npm run rotate -- switchboard-<stage>-app-secret [--revoke | --force]");
  }
  await rotate(secretName, { revoke: flags.includes("--revoke"), force: flags.includes("--force") });
  console.log(`${secretName} is ${flags.includes("--revoke") ? "revoked but for the current value" : "rotated"}.`);
}
