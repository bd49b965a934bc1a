import { randomBytes, randomUUID } from "node:crypto";
import { ACTIVATION_DELAY_MS, parseRotatedSecret, type RotatedSecret } from "../../shared/auth/accepted-secrets.ts";
import { awsClient } from "../../shared/lib/aws/aws-client.ts";
import { now } from "../../shared/lib/clock.ts";
import { runScript, UsageError } from "./script.ts";

interface RotateOptions {
  /** Deletes all earlier values instead of adding a new one. */
  readonly revoke?: boolean;
  /** Skips the check that the last change is old enough: a day, or ten minutes with `revoke`. */
  readonly force?: boolean;
}

const DAY_MS = 24 * 3_600_000;

/** Matches the name or ARN of the app secret. An ARN ends with a hyphen and six random characters. */
const appSecretId = /-app-secret(-\w{6})?$/;

/**
 * Returns a client of Secrets Manager.
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_Operations.html
 */
function secretsManager(region?: string): (operation: string, input: object) => Promise<Record<string, unknown>> {
  const client = awsClient({
    environmentName: "SECRETS_MANAGER",
    hostPrefix: "secretsmanager",
    signingName: "secretsmanager",
    region,
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

/**
 * Returns the content of a secret with a new random value.
 * @param keepsOlder true to keep all earlier values, because credentials that callers store derive from them
 */
function rotateValue({ current, previous, older = [] }: RotatedSecret, keepsOlder: boolean): RotatedSecret {
  const rotated = { current: randomBytes(48).toString("base64url"), previous: current };
  return keepsOlder ? { ...rotated, older: previous ? [previous, ...older] : older } : rotated;
}

/**
 * Checks that the last change is old enough for another one.
 * @throws Error if the change would remove a value that is still in use
 */
function assertChangeable(ageMs: number, revoke: boolean): void {
  if (revoke && ageMs < ACTIVATION_DELAY_MS) {
    throw new Error(
      "The secret was changed less than ten minutes ago. Functions still sign with the previous value. " +
        "Revoke it later, or with --force.",
    );
  }
  if (!revoke && ageMs < DAY_MS) {
    throw new Error(
      "The secret was changed less than a day ago. Another rotation rejects what is made with the previous value. " +
        "Rotate the secret tomorrow, or with --force.",
    );
  }
}

/**
 * Rotates the app secret or the origin secret of a stage.
 * @param secretId name or ARN
 * @throws AwsError if the secret does not exist; Error if it is malformed or its last change is too recent
 */
export async function rotate(secretId: string, { revoke = false, force = false }: RotateOptions = {}): Promise<void> {
  const call = secretsManager();
  const { SecretString, CreatedDate } = await call("GetSecretValue", { SecretId: secretId });
  const value = parseRotatedSecret(String(SecretString ?? ""));
  if (!force && value.previous) assertChangeable(now() - Number(CreatedDate) * 1_000, revoke);
  const changed = revoke
    ? { current: value.current, previous: "" }
    : rotateValue(value, value.older !== undefined || appSecretId.test(secretId));
  await call("PutSecretValue", {
    SecretId: secretId,
    SecretString: JSON.stringify(changed),
    ClientRequestToken: randomUUID(),
  });
}

/**
 * Adds the values of another cell's app secret to the earlier values of this one, so that this cell accepts what was derived
 * from them, such as the API keys of a tenant that moves here.
 * @param other name or ARN of the other secret, with its region: `switchboard-prod-app-secret@eu-central-1`
 */
export async function acceptSecretsOf(secretId: string, other: string): Promise<void> {
  const [otherId, region] = other.split("@");
  const read = async (id: string | undefined, from?: string) =>
    parseRotatedSecret(String((await secretsManager(from)("GetSecretValue", { SecretId: id })).SecretString ?? ""));
  const own = await read(secretId);
  const foreign = await read(otherId, region);
  const older = [...(own.older ?? []), foreign.current, foreign.previous, ...(foreign.older ?? [])];
  const known = new Set([own.current, own.previous, ""]);
  await secretsManager()("PutSecretValue", {
    SecretId: secretId,
    SecretString: JSON.stringify({ ...own, older: [...new Set(older)].filter((secret) => !known.has(secret)) }),
    ClientRequestToken: randomUUID(),
  });
}

await runScript(import.meta, async ([secretId, ...flags]) => {
  if (secretId && appSecretId.test(secretId) && flags[0] === "--accept" && flags[1] && flags.length === 2) {
    await acceptSecretsOf(secretId, flags[1]);
    return console.log(`${secretId} accepts what was made with ${flags[1]}.`);
  }
  const unknown = flags.find((flag) => !["--revoke", "--force"].includes(flag));
  if (!secretId || secretId.startsWith("-") || unknown) {
    throw new UsageError(
      "Name the secret: npm run rotate -- switchboard-<stage>-app-secret [--revoke] [--force] | --accept <app secret of another cell>[@<region>]",
    );
  }
  await rotate(secretId, { revoke: flags.includes("--revoke"), force: flags.includes("--force") });
  console.log(`${secretId} is ${flags.includes("--revoke") ? "revoked but for the current value" : "rotated"}.`);
  if (/-origin-secret(-\w{6})?$/.test(secretId) && !flags.includes("--revoke")) {
    const label = new Date(now()).toISOString().slice(0, 10);
    console.log(`Deploy it to CloudFront, with the options of your stage: npx cdk deploy --all -c rotation=${label}`);
  }
});
