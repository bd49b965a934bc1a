import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadCredentials } from "../../infra/commands/credentials.ts";
import { getAwsSettings } from "../../shared/lib/env.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "switchboard-credentials-"));
  const names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION"];
  for (const name of names) vi.stubEnv(name, undefined);
  vi.stubEnv("HOME", directory);
  vi.stubEnv("AWS_CONFIG_FILE", join(directory, "config"));
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(directory, "credentials"));
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  writeFileSync(join(directory, "credentials"), "[keys]\naws_access_key_id = id\naws_secret_access_key = key\n");
  writeFileSync(
    join(directory, "config"),
    `[profile keys]
region = eu-west-1
[profile work]
sso_session = work
sso_account_id = 111122223333
sso_role_name = Admin
region = eu-west-1
[sso-session work]
sso_region = eu-west-1
sso_start_url = https://work.awsapps.com/start
[profile code]
role_arn = arn:aws:iam::111122223333:role/admin
source_profile = keys
mfa_serial = arn:aws:iam::111122223333:mfa/ada
`,
  );
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

it("loadCredentials() reads keys and region of the profile in AWS_PROFILE", async () => {
  vi.stubEnv("AWS_PROFILE", "keys");
  await loadCredentials();
  expect(getAwsSettings("SQS")).toMatchObject({ region: "eu-west-1", accessKeyId: "id", secretAccessKey: "key" });
});

it.each([
  ["an SSO session that has expired", "work", /Run: aws sso login --profile work/],
  ["a role that requires a code", "code", /export-credentials --profile code/],
  ["an unknown profile", "absent", /profile absent has no usable credentials.*list-profiles/],
])("loadCredentials() says what to do about %s", async (_cause, profile, text) => {
  vi.stubEnv("AWS_PROFILE", profile);
  await expect(loadCredentials()).rejects.toThrow(text);
});
