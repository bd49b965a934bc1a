import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignatureScheme } from "../api/webhooks/webhooks.ts";
import { now } from "../lib/clock.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";

// `standardwebhooks` 1.1.1 knows one secret, verifies a body as text, so that one that is not UTF-8 has another signature, and takes 2.7
// to 3.5 ms for 256 KB instead of 0.2, because it hashes in JavaScript. It makes no asymmetric signatures (`v1a`), which events have.

/** Maximum difference between the timestamp of a request and the current time. */
const TIMESTAMP_TOLERANCE_MS = 300_000;

const MAX_SIGNATURES = 10;

/** Reason why a delivery is not authentic, for the response and the log of deliveries. */
export interface SignatureFault {
  readonly reason: "missing_signature" | "invalid_signature" | "old_timestamp";
  readonly message: string;
}

/** Header in which a provider sends the HMAC-SHA256 of the raw body as hex. */
interface HmacHeader {
  readonly name: string;
  /** Returns the signatures in the value of the header; by default, the value is the signature. */
  readonly extract?: (value: string) => string[];
  /**
   * Headers that can contain a timestamp in epoch seconds. If a request has one of them, `<timestamp>:<body>` is signed
   * instead of the body.
   */
  readonly timestampNames?: readonly string[];
}

const hmacHeaders: readonly HmacHeader[] = [
  { name: "X-Webhook-Signature" },
  // PagerDuty signs with each of its secrets: `v1=…,v1=…`.
  {
    name: "X-PagerDuty-Signature",
    extract: (value) => value.split(",").map((part) => part.trim().replace(/^v1=/, "")),
  },
  { name: "X-Hub-Signature-256", extract: (value) => [value.trim().replace(/^sha256=/, "")] },
  { name: "Sentry-Hook-Signature" },
  // Grafana's contact point names the header of the time, without a default. https://github.com/grafana/alerting/pull/285
  {
    name: "X-Grafana-Alerting-Signature",
    timestampNames: ["X-Grafana-Alerting-Timestamp", "X-Grafana-Alerting-Signature-Timestamp"],
  },
];

/** Header that Amazon SNS sends with each request. Its signature is in the body. */
const snsTypeHeader = "x-amz-sns-message-type";

/** Request whose signature is to be verified. */
export interface SignedRequest {
  readonly headers: RequestHeaders;
  readonly rawBody: Buffer;
}

const sha256Hmac = (key: string | Buffer, ...parts: (string | Buffer)[]) => {
  const hmac = createHmac("sha256", key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
};

const equals = (received: Buffer, expected: Buffer) =>
  received.length === expected.length && timingSafeEqual(received, expected);

/** Compares two secrets in constant time, also if their lengths differ. */
const equalsSecret = (received: string, secret: string) =>
  timingSafeEqual(sha256Hmac("compare", received), sha256Hmac("compare", secret));

/** Returns a fault if a timestamp differs too much from the current time, or null. */
function findTimestampFault(name: string, value: string, unit: "seconds" | "milliseconds"): SignatureFault | null {
  const timeMs = /^\d{1,15}$/.test(value) ? Number(value) * (unit === "seconds" ? 1_000 : 1) : Number.NaN;
  if (Math.abs(timeMs - now()) <= TIMESTAMP_TOLERANCE_MS) return null;
  return {
    reason: "old_timestamp",
    message: `${name} must be the current time in epoch ${unit}, with at most five minutes difference.`,
  };
}

/**
 * Signature in a request, and the text that precedes the body in the signed bytes; or the fault of the request's
 * timestamp.
 */
type HmacCandidate = { readonly signature: Buffer; readonly prefix: string } | SignatureFault;

function readHmacHeader({ name, extract, timestampNames = [] }: HmacHeader, headers: RequestHeaders): HmacCandidate[] {
  const timestampName = timestampNames.find((each) => headers[each.toLowerCase()] !== undefined);
  const timestamp = timestampName && headers[timestampName.toLowerCase()];
  const fault = timestampName ? findTimestampFault(timestampName, timestamp ?? "", "seconds") : null;
  if (fault) return [fault];
  const value = headers[name.toLowerCase()] ?? "";
  return (extract?.(value) ?? [value.trim()])
    .filter((signature) => /^[0-9a-f]{64}$/i.test(signature))
    .map((signature) => ({ signature: Buffer.from(signature, "hex"), prefix: timestamp ? `${timestamp}:` : "" }));
}

function findHmacFault({ headers, rawBody }: SignedRequest, secrets: readonly string[]): SignatureFault | null {
  const received = hmacHeaders.filter(({ name }) => headers[name.toLowerCase()]);
  if (received.length === 0) {
    const message = "Sign the raw body with HMAC-SHA256 and send the hex digest in X-Webhook-Signature.";
    return { reason: "missing_signature", message };
  }
  const candidates = received.flatMap((header) => readHmacHeader(header, headers)).slice(0, MAX_SIGNATURES);
  // All secrets are compared, so that the response time does not reveal which one is valid.
  const byPrefix = Map.groupBy(
    candidates.filter((candidate) => "signature" in candidate),
    ({ prefix }) => prefix,
  );
  const matches = secrets.flatMap((secret) =>
    Array.from(byPrefix, ([prefix, signed]) => {
      const expected = sha256Hmac(secret, prefix, rawBody);
      return signed.some(({ signature }) => equals(signature, expected));
    }),
  );
  if (matches.includes(true)) return null;
  const names = received.map(({ name }) => name).join(", ");
  const mismatch = `The signature in ${names} does not match the body. It must be the HMAC-SHA256 with the channel's secret in hex.`;
  return candidates.find((candidate) => "reason" in candidate) ?? { reason: "invalid_signature", message: mismatch };
}

/** Converts a hex secret to the form of Standard Webhooks: `whsec_` and Base64. */
export function toStandardSecret(secret: string): string {
  return `whsec_${Buffer.from(secret, "hex").toString("base64")}`;
}

/** Returns the key bytes of a Standard Webhooks secret. A secret without `whsec_` is used as text. */
const standardKey = (secret: string) =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);

const standardNames = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

/**
 * Verifies a request by Standard Webhooks, which signs the id, the timestamp and the body.
 * @returns the fault, or null
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
function findStandardFault({ headers, rawBody }: SignedRequest, secrets: readonly string[]): SignatureFault | null {
  const [id = "", timestamp = "", signatureList = ""] = standardNames.map((name) => headers[name]);
  const missing = standardNames.filter((name) => !headers[name]);
  if (missing.length > 0) {
    const message = `Sign the delivery as Standard Webhooks specifies; ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing.`;
    return { reason: "missing_signature", message };
  }
  const timestampFault = findTimestampFault("webhook-timestamp", timestamp, "seconds");
  if (timestampFault) return timestampFault;
  const signatures = signatureList
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .slice(0, MAX_SIGNATURES)
    .map((signature) => Buffer.from(signature.slice(3), "base64"));
  const matches = secrets.map((secret) => {
    const expected = sha256Hmac(standardKey(secret), `${id}.${timestamp}.`, rawBody);
    return signatures.some((signature) => equals(signature, expected));
  });
  if (matches.includes(true) && !id.includes(".")) return null;
  const message = "The signature in webhook-signature does not match webhook-id, webhook-timestamp and the body.";
  return { reason: "invalid_signature", message };
}

/**
 * Verifies a secret that the provider sends as bearer token or as password of Basic authentication, because it cannot
 * sign.
 * @returns the fault, or null
 */
function findTokenFault({ headers }: SignedRequest, secrets: readonly string[]): SignatureFault | null {
  const [scheme = "", value = ""] = (headers.authorization ?? "").split(" ", 2);
  const decoded = scheme.toLowerCase() === "basic" ? Buffer.from(value, "base64").toString() : value;
  const token = scheme.toLowerCase() === "basic" ? decoded.slice(decoded.indexOf(":") + 1) : decoded;
  const matches = secrets.map((secret) => equalsSecret(token, secret));
  if (token !== "" && matches.includes(true)) return null;
  return headers.authorization
    ? { reason: "invalid_signature", message: "The token or password in Authorization is not the channel's secret." }
    : {
        reason: "missing_signature",
        message:
          "Send the channel's secret in Authorization, as a bearer token or as the password of Basic authentication.",
      };
}

/**
 * Functions that verify a request with the secrets of its channel, by signature scheme. They return null if it is
 * authentic.
 */
export const signatureVerifiers: Readonly<
  Record<Exclude<SignatureScheme, "sns">, (request: SignedRequest, secrets: readonly string[]) => SignatureFault | null>
> = {
  hmac: findHmacFault,
  "standard-webhooks": findStandardFault,
  token: findTokenFault,
};

/** Header that carries the signature, and instructions for the sender, by signature scheme. */
export const signatureInstructions: Readonly<
  Record<SignatureScheme, { readonly header: string; readonly text: string }>
> = {
  hmac: {
    header: "X-Webhook-Signature",
    text: "Sign the raw body with HMAC-SHA256 and send the hex digest in the signature header.",
  },
  "standard-webhooks": {
    header: "webhook-signature",
    text: "Give it to a Standard Webhooks library, which sets webhook-id, webhook-timestamp and webhook-signature.",
  },
  token: { header: "Authorization", text: "Send it as a bearer token or as the password of Basic authentication." },
  sns: {
    header: snsTypeHeader,
    text: "The channel needs no secret: subscribe its address to the topic, and the signature of each message is verified.",
  },
};

const credentialNames = [
  ...hmacHeaders.map(({ name }) => name.toLowerCase()),
  "webhook-signature",
  "authorization",
  snsTypeHeader,
];

/** Returns a fault if a request has no credential or an old `X-Webhook-Timestamp`, or null. */
export function findHeaderFault(headers: RequestHeaders): SignatureFault | null {
  if (!credentialNames.some((name) => headers[name])) {
    const message = "Sign the body and send the signature in X-Webhook-Signature.";
    return { reason: "missing_signature", message };
  }
  const timestamp = headers["x-webhook-timestamp"];
  return timestamp === undefined ? null : findTimestampFault("X-Webhook-Timestamp", timestamp, "milliseconds");
}
