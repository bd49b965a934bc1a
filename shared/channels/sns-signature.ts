import { createVerify, X509Certificate } from "node:crypto";
import * as v from "valibot";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";

/** Hosts of Amazon SNS, in all partitions. Any other host could serve the certificate of an attacker. */
const snsHost = /^sns\.[a-z0-9-]{3,30}\.amazonaws\.com(?:\.cn)?$/;

const REQUEST_TIMEOUT_MS = 5_000;
const MAX_CERTIFICATE_BYTES = 16_384;
const MAX_CACHED_CERTIFICATES = 20;

/** Returns true for an HTTPS URL on a host of Amazon SNS. */
function isSnsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host, username, password } = new URL(text);
  return protocol === "https:" && snsHost.test(host) && username === "" && password === "";
}

const snsUrl = v.pipe(v.string(), v.check(isSnsUrl));
const common = {
  Message: v.string(),
  MessageId: v.string(),
  Timestamp: v.string(),
  TopicArn: v.string(),
  SignatureVersion: v.picklist(["1", "2"]),
  Signature: v.string(),
  SigningCertURL: snsUrl,
};

/**
 * Message that Amazon SNS posts to an HTTPS endpoint.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 */
const SnsMessage = v.variant("Type", [
  v.object({ ...common, Type: v.literal("Notification"), Subject: v.nullish(v.string()) }),
  v.object({ ...common, Type: v.literal("SubscriptionConfirmation"), SubscribeURL: snsUrl, Token: v.string() }),
  v.object({ ...common, Type: v.literal("UnsubscribeConfirmation"), SubscribeURL: snsUrl, Token: v.string() }),
]);
type SnsMessage = v.InferOutput<typeof SnsMessage>;

/**
 * Returns the text that a message's signature covers: names and values of certain fields, in alphabetical order.
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

const certificates = new Map<string, X509Certificate>();

/** @throws ServiceError `unavailable` if the host cannot be reached or fails; SNS then sends its message again */
async function fetchCertificate(url: string): Promise<{ isOk: boolean; text: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: "error" });
    if (response.status >= 500) throw new Error(`status ${response.status}`);
    return { isOk: response.ok, text: await response.text() };
  } catch (cause) {
    throw new ServiceError(
      "unavailable",
      "The certificate of Amazon SNS could not be fetched. Send the message again.",
      {
        cause,
      },
    );
  }
}

/** Returns the certificate at a URL of Amazon SNS; certificates are cached by URL, which changes with each renewal. */
async function getCertificate(url: string): Promise<X509Certificate> {
  const cached = certificates.get(url);
  if (cached) return cached;
  const { isOk, text } = await fetchCertificate(url);
  if (!isOk || text.length > MAX_CERTIFICATE_BYTES) throw new Error("unexpected response for a certificate");
  const certificate = new X509Certificate(text);
  if (certificates.size >= MAX_CACHED_CERTIFICATES) certificates.clear();
  certificates.set(url, certificate);
  return certificate;
}

const isCurrent = ({ validFrom, validTo }: X509Certificate) =>
  Date.parse(validFrom) <= now() && now() <= Date.parse(validTo);

/** Confirms a subscription by a request to its URL. Best-effort: SNS shows an unconfirmed subscription as pending. */
async function confirmSubscription(url: string): Promise<void> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: "error" });
    if (!response.ok) log.warn("sns subscription not confirmed", { status: response.status });
  } catch (error) {
    log.warn("sns subscription not confirmed", { error });
  }
}

/**
 * Verifies a message of Amazon SNS with the certificate that it names, and confirms the subscription that it announces.
 * @param topicArn topic of the channel; messages of other topics, which anyone can create, are invalid
 * @throws ServiceError `unavailable` if the certificate could not be fetched
 */
export async function verifySnsMessage(rawBody: Buffer, topicArn: string): Promise<boolean> {
  let body: unknown;
  try {
    body = JSON.parse(rawBody.toString());
  } catch {
    return false;
  }
  const parsed = v.safeParse(SnsMessage, body);
  if (!parsed.success || parsed.output.TopicArn !== topicArn) return false;
  const message = parsed.output;
  try {
    const certificate = await getCertificate(message.SigningCertURL);
    const algorithm = message.SignatureVersion === "1" ? "RSA-SHA1" : "RSA-SHA256";
    const verifier = createVerify(algorithm).update(toSignedText(message));
    if (!isCurrent(certificate) || !verifier.verify(certificate.publicKey, message.Signature, "base64")) return false;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    log.warn("sns signature not verified", { error });
    return false;
  }
  if (message.Type === "SubscriptionConfirmation") await confirmSubscription(message.SubscribeURL);
  return true;
}
