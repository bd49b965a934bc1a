import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignatureScheme } from "../api/channels/webhooks.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";

/** Maximum difference between a request's timestamp and the current time. */
const TIMESTAMP_TOLERANCE_MS = 300_000;

/** Maximum number of signatures that are compared per request. */
const MAX_SIGNATURES = 10;

/** Headers in which providers send the hex HMAC-SHA256 of the raw body, and how to extract the signatures. */
const hmacHeaders: Readonly<Record<string, (value: string) => string[]>> = {
  "x-webhook-signature": (value) => [value.trim()],
  // PagerDuty signs with each of its secrets: `v1=…,v1=…`.
  "x-pagerduty-signature": (value) => value.split(",").map((signature) => signature.trim().replace(/^v1=/, "")),
  "x-hub-signature-256": (value) => [value.trim().replace(/^sha256=/, "")],
  "sentry-hook-signature": (value) => [value.trim()],
  "x-grafana-alerting-signature": (value) => [value.trim()],
};

/** Header of every request of Amazon SNS, whose signature is in the body. */
const snsTypeHeader = "x-amz-sns-message-type";

/** A received request, before its channel is known. */
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

/** Compares two secrets in constant time, regardless of their lengths. */
const equalsSecret = (received: string, secret: string) =>
  timingSafeEqual(sha256Hmac("compare", received), sha256Hmac("compare", secret));

function hexSignatures(headers: RequestHeaders): Buffer[] {
  return Object.entries(hmacHeaders)
    .flatMap(([name, extract]) => extract(headers[name] ?? ""))
    .filter((signature) => /^[0-9a-f]{64}$/i.test(signature))
    .slice(0, MAX_SIGNATURES)
    .map((signature) => Buffer.from(signature, "hex"));
}

function isHmacValid({ headers, rawBody }: SignedRequest, secrets: readonly string[]): boolean {
  const signatures = hexSignatures(headers);
  // All secrets are compared, so that the response time does not reveal which one is valid.
  const matches = secrets.map((secret) => {
    const expected = sha256Hmac(secret, rawBody);
    return signatures.some((signature) => equals(signature, expected));
  });
  return matches.includes(true);
}

/** Converts a channel's secret to the form of Standard Webhooks: `whsec_` and the Base64 of its bytes. */
export function toStandardSecret(secret: string): string {
  return `whsec_${Buffer.from(secret, "hex").toString("base64")}`;
}

/** Returns the key of a Standard Webhooks secret: the decoded Base64 after `whsec_`, or the bytes of any other text. */
const standardKey = (secret: string) =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);

/**
 * Verifies a request by Standard Webhooks, which signs its id and its time with the body.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
function isStandardValid({ headers, rawBody }: SignedRequest, secrets: readonly string[]): boolean {
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  if (id === "" || id.includes(".") || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Number(timestamp) * 1_000 - now()) > TIMESTAMP_TOLERANCE_MS) return false;
  const signatures = (headers["webhook-signature"] ?? "")
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .slice(0, MAX_SIGNATURES)
    .map((signature) => Buffer.from(signature.slice(3), "base64"));
  const matches = secrets.map((secret) => {
    const expected = sha256Hmac(standardKey(secret), `${id}.${timestamp}.`, rawBody);
    return signatures.some((signature) => equals(signature, expected));
  });
  return matches.includes(true);
}

/** Verifies a secret that the provider sends as it is, as a bearer token or a Basic password, because it cannot sign. */
function isTokenValid({ headers }: SignedRequest, secrets: readonly string[]): boolean {
  const [scheme = "", value = ""] = (headers.authorization ?? "").split(" ", 2);
  const decoded = scheme.toLowerCase() === "basic" ? Buffer.from(value, "base64").toString() : value;
  const token = scheme.toLowerCase() === "basic" ? decoded.slice(decoded.indexOf(":") + 1) : decoded;
  const matches = secrets.map((secret) => equalsSecret(token, secret));
  return token !== "" && matches.includes(true);
}

/** Functions that verify a request with secrets, by the signature scheme of its channel. */
export const signatureVerifiers: Readonly<
  Record<Exclude<SignatureScheme, "sns">, (request: SignedRequest, secrets: readonly string[]) => boolean>
> = {
  hmac: isHmacValid,
  "standard-webhooks": isStandardValid,
  token: isTokenValid,
};

/** Header that carries the signature of each scheme, and instructions for senders. */
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

/**
 * Rejects requests without any credential, or with an old `X-Webhook-Timestamp`, before their channel is read.
 * @throws ServiceError `unauthorized`
 */
export function requireSignature(headers: RequestHeaders): void {
  const names = [...Object.keys(hmacHeaders), "webhook-signature", "authorization", snsTypeHeader];
  if (!names.some((name) => headers[name])) {
    throw new ServiceError("unauthorized", "Sign the body and send the signature in X-Webhook-Signature.");
  }
  const timestamp = headers["x-webhook-timestamp"];
  if (timestamp === undefined) return;
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Number(timestamp) - now()) > TIMESTAMP_TOLERANCE_MS) {
    throw new ServiceError(
      "unauthorized",
      "X-Webhook-Timestamp must be the current time in epoch milliseconds, with at most five minutes difference.",
    );
  }
}
