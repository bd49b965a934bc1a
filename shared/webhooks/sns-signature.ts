import { createVerify } from "node:crypto";
import * as v from "valibot";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { getSnsCertificate, isCertificateUrl, isConfirmationUrl, SNS_REQUEST_TIMEOUT_MS } from "./sns-certificate.ts";

// Libraries check less: sns-payload-validator 2.1.0 checks neither age nor subject, issuer and validity of the certificate, nor
// status and size of the response, and keeps the field names of a message in a variable that concurrent messages share.
// sns-validator 0.3.5 accepts certificates of any path on hosts such as `sns.s3-eu-west-1.amazonaws.com`.

/**
 * Maximum age of a message. SNS tries to deliver a message for at most an hour.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
const MAX_AGE_MS = 65 * 60_000;
const MAX_CLOCK_SKEW_MS = 5 * 60_000;

/** Maximum length of a signature: an RSA signature of 4,096 bits in Base64. */
const MAX_SIGNATURE_LENGTH = 684;

const common = {
  Message: v.string(),
  MessageId: v.string(),
  Timestamp: v.pipe(v.string(), v.isoTimestamp()),
  TopicArn: v.string(),
  SignatureVersion: v.picklist(["1", "2"]),
  Signature: v.pipe(v.string(), v.maxLength(MAX_SIGNATURE_LENGTH), v.base64()),
  SigningCertURL: v.pipe(v.string(), v.check(isCertificateUrl)),
};

/**
 * Message that Amazon SNS sends to an HTTPS endpoint.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 */
const SnsMessage = v.variant("Type", [
  v.object({ ...common, Type: v.literal("Notification"), Subject: v.nullish(v.string()) }),
  v.object({ ...common, Type: v.literal("SubscriptionConfirmation"), SubscribeURL: v.string(), Token: v.string() }),
  v.object({ ...common, Type: v.literal("UnsubscribeConfirmation"), SubscribeURL: v.string(), Token: v.string() }),
]);
type SnsMessage = v.InferOutput<typeof SnsMessage>;

/**
 * Returns the text that is signed: names and values of certain fields in alphabetical order.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html
 */
function toSignedText(message: SnsMessage): string {
  const fields: Readonly<Record<string, unknown>> = message;
  const names =
    message.Type === "Notification"
      ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  return names.flatMap((name) => (typeof fields[name] === "string" ? [`${name}\n${fields[name]}\n`] : [])).join("");
}

/** Returns true if a message was published recently, so that a captured one cannot be replayed later. */
function isRecent({ Timestamp }: SnsMessage): boolean {
  const ageMs = now() - Date.parse(Timestamp);
  return -MAX_CLOCK_SKEW_MS <= ageMs && ageMs <= MAX_AGE_MS;
}

/**
 * Parses a message. Returns undefined if its form, topic, time or URLs show that it is not genuine, so that no
 * certificate is fetched for it.
 */
function parseMessage(rawBody: Buffer, topicArn: string): SnsMessage | undefined {
  let body: unknown;
  try {
    body = JSON.parse(rawBody.toString());
  } catch {
    return undefined;
  }
  const { success, output: message } = v.safeParse(SnsMessage, body);
  if (!success || message.TopicArn !== topicArn || !isRecent(message)) return undefined;
  const isConfirmation = message.Type === "SubscriptionConfirmation";
  return isConfirmation && !isConfirmationUrl(message.SubscribeURL, topicArn) ? undefined : message;
}

/** Confirms a subscription by requesting its URL. Best-effort: if this fails, SNS shows the subscription as pending. */
async function confirmSubscription(url: string): Promise<void> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(SNS_REQUEST_TIMEOUT_MS), redirect: "error" });
    if (!response.ok) log.warn("sns subscription not confirmed", { status: response.status });
  } catch (error) {
    log.warn("sns subscription not confirmed", { error });
  }
}

/**
 * Verifies a message of Amazon SNS with the certificate that it names. If it asks to confirm a subscription, also requests
 * its `SubscribeURL`, which confirms the subscription.
 * @param topicArn topic of the channel; messages of other topics, which anyone can create, are invalid
 * @returns false if the message is not authentic
 * @throws ServiceError `unavailable` if the certificate could not be fetched
 */
export async function verifySnsMessage(rawBody: Buffer, topicArn: string): Promise<boolean> {
  const message = parseMessage(rawBody, topicArn);
  if (!message) return false;
  try {
    const certificate = await getSnsCertificate(message.SigningCertURL);
    const algorithm = message.SignatureVersion === "1" ? "RSA-SHA1" : "RSA-SHA256";
    const verifier = createVerify(algorithm).update(toSignedText(message));
    if (!verifier.verify(certificate.publicKey, message.Signature, "base64")) return false;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    log.warn("sns signature not verified", { error });
    return false;
  }
  if (message.Type === "SubscriptionConfirmation") await confirmSubscription(message.SubscribeURL);
  return true;
}
