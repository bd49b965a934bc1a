import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from "@smithy/core/config";
import { getToolSetting, setAwsCredentials } from "../../shared/lib/env.ts";

/** Remedies for errors of the SDK's credential providers, of the first row that matches. */
const remedies: readonly (readonly [message: RegExp, remedy: string])[] = [
  [
    /SSO session|aws sso login|Token is expired/i,
    "The SSO session has expired or never began. Run: aws sso login --profile <profile>",
  ],
  [
    /multi-factor/i,
    'The role requires a code. Export a session: eval "$(aws configure export-credentials --profile <profile> --format env)"',
  ],
  [
    /using profile|from any providers/,
    "The profile <profile> has no usable credentials. List the profiles: aws configure list-profiles. Then set AWS_PROFILE, or sign in: aws configure sso",
  ],
  [/sts:AssumeRole/, "The role of the profile <profile> does not trust these credentials. Correct its trust policy."],
];

/**
 * Finds credentials and region as the AWS CLI does, in the environment, in a profile (also of SSO or with a role to assume), or
 * on the machine, and sets the variables that clients read.
 * @throws Error that names the cause and what to do
 */
export async function loadCredentials(): Promise<void> {
  const profile = getToolSetting("AWS_PROFILE") ?? "default";
  try {
    const credentials = await defaultProvider({})();
    const region =
      getToolSetting("AWS_REGION") ??
      getToolSetting("AWS_DEFAULT_REGION") ??
      (await loadConfig({ ...NODE_REGION_CONFIG_OPTIONS, default: "" }, NODE_REGION_CONFIG_FILE_OPTIONS)());
    if (!region) throw new Error(`The profile ${profile} has no region. Set AWS_REGION.`);
    setAwsCredentials({ ...credentials, region });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const remedy = remedies.find(([pattern]) => pattern.test(message))?.[1];
    throw new Error(remedy ? `${remedy.replaceAll("<profile>", profile)} (${message})` : message);
  }
}
