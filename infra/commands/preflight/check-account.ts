import { AwsError } from "../../../shared/lib/aws/aws-client.ts";
import { getAwsSettings } from "../../../shared/lib/env.ts";
import { callXmlService, GLOBAL_REGION, getRegionStatus, readElements } from "./account.ts";
import { ok, type PreflightOptions, problem, type Result, UncheckedError, unchecked } from "./finding.ts";

/** Identity that the credentials belong to. */
export interface CallerIdentity {
  readonly account: string;
  readonly arn: string;
}

const renewal =
  "Get new ones: aws sso login --profile <name>, or the console's access keys for the command line. Export AWS_REGION too.";

/** Causes of refused credentials by the name of the error. */
const credentialErrors: Readonly<Record<string, string>> = {
  ExpiredToken: "The session of the credentials has expired.",
  ExpiredTokenException: "The session of the credentials has expired.",
  InvalidClientTokenId: "AWS does not know the access key, or it was deactivated.",
  SignatureDoesNotMatch:
    "The secret access key does not belong to the access key, or the clock of this machine is wrong.",
};

/**
 * Returns the identity of the credentials. The global endpoint knows those of all regions, also of disabled ones.
 * @throws Error that names the cause and what to do
 */
export async function getCallerIdentity(): Promise<CallerIdentity> {
  const parameters = { Action: "GetCallerIdentity", Version: "2011-06-15" };
  try {
    const xml = await callXmlService("sts", {
      operation: "GetCallerIdentity",
      path: "/",
      region: GLOBAL_REGION,
      parameters,
    });
    const [[account = ""], [arn = ""]] = [readElements(xml, "Account"), readElements(xml, "Arn")];
    return { account, arn };
  } catch (error) {
    const cause = error instanceof AwsError && credentialErrors[error.name];
    if (cause) throw new Error(`${cause} ${renewal}`);
    throw error;
  }
}

/** Checks that the region is enabled in the account. `loadConfig` refuses regions that lack function URLs. */
export async function checkRegion(): Promise<Result> {
  const { region } = getAwsSettings("ACCOUNT");
  try {
    const status = await getRegionStatus(region);
    if (status === "ENABLED" || status === "ENABLED_BY_DEFAULT") return ok(`${region} is enabled in the account.`);
    if (status === "ENABLING") return problem(`${region} is being enabled, which takes some minutes. Wait for it.`);
    return problem(
      `${region} is ${status.toLowerCase()} in the account. Enable it: aws account enable-region --region-name ${region}`,
    );
  } catch (error) {
    if (!(error instanceof AwsError && error.name === "ValidationException")) throw error;
    return problem(`AWS has no region ${region}. Correct AWS_REGION.`);
  }
}

/**
 * Looks for a distribution of CloudFront. AWS lets a new account list them, but not create one until it is verified, and only
 * an existing distribution proves that it was.
 */
export async function checkDistributions(): Promise<Result> {
  const xml = await callXmlService("cloudfront", {
    operation: "ListDistributions",
    path: "/2020-05-31/distribution?MaxItems=1",
    region: GLOBAL_REGION,
  });
  return xml.includes("<DistributionSummary>")
    ? ok("The account has a distribution of CloudFront, so it can create them.")
    : unchecked(
        'The account has no distribution of CloudFront, and no request that only reads tells if it can create one. If the deployment fails with "Your account must be verified", ask AWS Support (account and billing) to verify it for CloudFront.',
      );
}

/**
 * Checks that the topic of the alarms has a confirmed subscriber. SNS lists a subscription that waits for its confirmation
 * without an ARN.
 */
export async function checkAlarmTopic({ stage }: PreflightOptions, { account }: CallerIdentity): Promise<Result> {
  const { region } = getAwsSettings("SNS");
  const topic = `arn:aws:sns:${region}:${account}:switchboard-${stage}-alarms`;
  const subscribe = `aws sns subscribe --topic-arn ${topic} --protocol email --notification-endpoint <address>`;
  const parameters = { Action: "ListSubscriptionsByTopic", Version: "2010-03-31", TopicArn: topic };
  const states: string[] = [];
  try {
    for (let next: string | undefined = ""; next !== undefined; ) {
      const xml: string = await callXmlService("sns", {
        operation: "ListSubscriptionsByTopic",
        path: "/",
        region,
        parameters: { ...parameters, ...(next && { NextToken: next }) },
      });
      states.push(...readElements(xml, "SubscriptionArn"));
      [next] = readElements(xml, "NextToken");
    }
  } catch (error) {
    if (!(error instanceof AwsError && /^NotFound/.test(error.name))) throw error;
    throw new UncheckedError(
      `The first deployment creates the topic of the alarms. Subscribe the people on call to it then: ${subscribe}`,
    );
  }
  const confirmed = states.filter((state) => state.startsWith("arn:")).length;
  const pending = states.filter((state) => state === "PendingConfirmation").length;
  if (confirmed > 0) return ok(`Alarms have ${confirmed} confirmed ${confirmed === 1 ? "subscriber" : "subscribers"}.`);
  return problem(
    pending > 0
      ? `No alarm reaches a person: ${pending} ${pending === 1 ? "subscription waits" : "subscriptions wait"} for a confirmation. Open the link in the message from AWS, which expires after two days, or subscribe again: ${subscribe}`
      : `No alarm reaches a person: their topic has no subscriber. Subscribe the people on call: ${subscribe}`,
  );
}
