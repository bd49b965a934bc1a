import { X509Certificate } from "node:crypto";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";

/** Timeout of a request to Amazon SNS in milliseconds. */
export const SNS_REQUEST_TIMEOUT_MS = 5_000;

const MAX_CERTIFICATE_BYTES = 16_384;
const MAX_CACHED_CERTIFICATES = 20;

/**
 * Matches hosts of Amazon SNS. The region must have its exact form: `sns.s3-eu-west-1.amazonaws.com` would be an S3
 * bucket, whose owner decides what it serves.
 */
const snsHost = /^sns\.([a-z]{2,4}(?:-[a-z]+){1,3}-\d{1,2})\.(amazonaws\.com(?:\.cn)?)$/;

/** Matches the documented path of a signing certificate. */
const certificatePath = /^\/SimpleNotificationService-[A-Za-z0-9]{32}\.pem$/;

/** Matches the certificate authorities of AWS certificates; DigiCert in China. */
const issuers = /^O=(?:Amazon|DigiCert Inc)$/m;

/** Parses an HTTPS URL on a host of Amazon SNS; undefined for other hosts, and for a URL with credentials or a port. */
function parseSnsUrl(text: string): { url: URL; region: string; suffix: string } | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const [, region, suffix] = snsHost.exec(url.host) ?? [];
  // The comparison excludes forms that a URL parser normalizes, such as a default port or credentials.
  if (!region || !suffix || !text.startsWith(`https://${url.host}/`)) return undefined;
  return region.startsWith("cn-") === suffix.endsWith(".cn") ? { url, region, suffix } : undefined;
}

/** Returns true for the URL of a signing certificate of Amazon SNS. */
export function isCertificateUrl(text: string): boolean {
  const parsed = parseSnsUrl(text);
  return parsed !== undefined && certificatePath.test(text.slice(parsed.url.origin.length));
}

/** Returns true for a URL that confirms a subscription to the given topic. */
export function isConfirmationUrl(text: string, topicArn: string): boolean {
  const { pathname, searchParams, hash } = parseSnsUrl(text)?.url ?? {};
  const isConfirmation = searchParams?.get("Action") === "ConfirmSubscription";
  return pathname === "/" && hash === "" && isConfirmation && searchParams?.get("TopicArn") === topicArn;
}

/**
 * Returns the host names to which a certificate for a region may be issued.
 * @see https://github.com/aws/aws-sdk-java-v2/tree/master/services-custom/sns-message-manager
 */
function toSubjects(region: string, suffix: string): string[] {
  const regional = [`sns.${region}.${suffix}`, `sns-signing.${region}.${suffix}`, `sns-${region}.${suffix}`];
  if (region.startsWith("us-gov-")) return [...regional, "sns-us-gov-west-1.amazonaws.com"];
  return suffix.endsWith(".cn") ? regional : [...regional, "sns.amazonaws.com"];
}

/** @throws ServiceError `unavailable` if the host cannot be reached or fails, so that SNS repeats its message */
async function fetchCertificate(url: string): Promise<X509Certificate> {
  let status: number;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(SNS_REQUEST_TIMEOUT_MS), redirect: "error" });
    status = response.status;
    if (status >= 500) throw new Error(`status ${status}`);
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_CERTIFICATE_BYTES) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    const detail = "The certificate of Amazon SNS could not be fetched. Send the message again.";
    throw new ServiceError("unavailable", detail, { cause });
  }
  if (status !== 200 || size > MAX_CERTIFICATE_BYTES) throw new Error("unexpected response for a certificate");
  return new X509Certificate(Buffer.concat(chunks));
}

/**
 * Returns true if a certificate was issued to Amazon SNS. The chain is not verified, because the certificate comes from
 * a host of Amazon SNS over TLS.
 */
function isIssuedToSns(certificate: X509Certificate, region: string, suffix: string): boolean {
  if (certificate.ca || certificate.subject === certificate.issuer || !issuers.test(certificate.issuer)) return false;
  return toSubjects(region, suffix).some((name) => certificate.checkHost(name, { wildcards: false }) !== undefined);
}

const isCurrent = ({ validFrom, validTo }: X509Certificate) =>
  Date.parse(validFrom) <= now() && now() <= Date.parse(validTo);

const certificates = new Map<string, X509Certificate>();

/**
 * Returns the signing certificate at a URL of Amazon SNS. It is cached by URL, which changes with each renewal.
 * @throws ServiceError `unavailable` if it cannot be fetched
 * @throws Error if it is not a valid certificate of Amazon SNS
 */
export async function getSnsCertificate(url: string): Promise<X509Certificate> {
  const parsed = parseSnsUrl(url);
  if (!parsed || !isCertificateUrl(url)) throw new Error("not a certificate of Amazon SNS");
  const certificate = certificates.get(url) ?? (await fetchCertificate(url));
  if (!isIssuedToSns(certificate, parsed.region, parsed.suffix)) throw new Error("not a certificate of Amazon SNS");
  if (!isCurrent(certificate)) throw new Error("the certificate of Amazon SNS has expired");
  if (certificates.size >= MAX_CACHED_CERTIFICATES) certificates.clear();
  certificates.set(url, certificate);
  return certificate;
}
