import type { EventType } from "../api/events/event-data.ts";
import type { EventFormat } from "../api/events/event-endpoints.ts";
import { tracedTypes } from "../api/events/traced-types.ts";
import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import { findSetting } from "../lib/env.ts";
import { invalidField, ServiceError } from "../lib/errors.ts";
import { requireAllowedAddress } from "../lib/outgoing/find-server-refusal.ts";
import { parseHeaders } from "../lib/outgoing/parse-headers.ts";
import type { StoredEventEndpoint } from "./endpoint-store.ts";

const MAIL = "mailto:";

/** Returns the e-mail address in a `mailto:` URL. */
export const toMailAddress = (url: string): string => url.slice(MAIL.length);

/** Returns true if the operator's settings allow e-mails to the domain of an address. */
export function isMailAllowed(url: string): boolean {
  const domains = findSetting("EMAIL_DOMAINS").split(",");
  const domain = url.slice(url.lastIndexOf("@") + 1).toLowerCase();
  return findSetting("EMAIL_FROM") !== "" && domains.includes(domain);
}

const invalid = (path: string, message: string) => invalidField(path, "invalid_value", message);

function assertAddress(format: EventFormat, url: string): void {
  const isMail = url.startsWith(MAIL);
  if (isMail !== (format === "email")) throw invalid("url", `is no address for the format ${format}`);
  if (!isMail) requireAllowedAddress(url, "url");
  if (!isMail || isMailAllowed(url)) return;
  throw new ServiceError(
    "conflict",
    "The operator does not let e-mails be sent to this domain (EMAIL_FROM, EMAIL_DOMAINS).",
  );
}

/**
 * Returns the encryption context of secrets. It contains the origin of the URL, so that they cannot be decrypted for
 * another host.
 */
const purposeOf = ({ id, url }: Pick<StoredEventEndpoint, "id" | "url">) =>
  `event-endpoint:${id}:${new URL(url).origin}`;

/** Headers that an endpoint must not set, because they control the connection or describe the body. */
const reservedHeaders: ReadonlySet<string> = new Set([
  ...["host", "connection", "content-encoding", "content-length", "content-type", "expect", "keep-alive"],
  ...["proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"],
]);

function assertTraceable(types: readonly EventType[], headers: string | null | undefined): void {
  if (types.some((type) => !tracedTypes.includes(type))) {
    throw invalid("types", `must be among ${tracedTypes.join(", ")} with the format otlp`);
  }
  const reserved = Object.keys(parseHeaders(headers ?? "")).find((name) => reservedHeaders.has(name));
  if (reserved) throw invalid("headers", `must not contain ${reserved}`);
}

/** Secrets in a request. An absent one keeps its stored value if the host of the endpoint stays the same. */
interface TargetSecrets {
  readonly routing_key?: string | undefined;
  /** Null removes the headers. */
  readonly headers?: string | null | undefined;
}

/**
 * Checks that URL, format and event types fit together.
 * @returns the encrypted secrets that the format needs
 * @throws ServiceError `validation_failed`, or `conflict` if the operator does not allow e-mails to the address
 */
export async function sealTarget(
  target: Pick<StoredEventEndpoint, "id" | "url" | "format"> & { readonly types: readonly EventType[] },
  { routing_key, headers }: TargetSecrets,
  before?: StoredEventEndpoint,
): Promise<Pick<StoredEventEndpoint, "sealed_routing_key" | "sealed_headers">> {
  const { format, url, types } = target;
  assertAddress(format, url);
  const same = before && purposeOf(before) === purposeOf(target) ? before : undefined;
  const seal = async (secret: string) => encrypt((await loadAppSecrets()).current, purposeOf(target), secret);
  const secrets = { sealed_routing_key: null, sealed_headers: null };
  if (format === "pagerduty") {
    const sealed_routing_key = routing_key === undefined ? same?.sealed_routing_key : await seal(routing_key);
    if (sealed_routing_key) return { ...secrets, sealed_routing_key };
    throw invalid("routing_key", "is required with the format pagerduty, and with each new site");
  }
  if (format !== "otlp") return secrets;
  assertTraceable(types, headers);
  const sealed_headers = headers === undefined ? same?.sealed_headers : headers && (await seal(headers));
  return { ...secrets, sealed_headers: sealed_headers ?? null };
}

async function open(target: Pick<StoredEventEndpoint, "id" | "url">, sealed: string, name: string): Promise<string> {
  const { all } = await loadAppSecrets();
  const secret = sealed && verifyWithAny(all, (appSecret) => decrypt(appSecret, purposeOf(target), sealed));
  if (!secret) throw new Error(`${name} of the event endpoint cannot be decrypted`);
  return secret;
}

/**
 * Returns the decrypted PagerDuty routing key of an endpoint.
 * @throws Error if it cannot be decrypted
 */
export const openRoutingKey = (
  target: Pick<StoredEventEndpoint, "id" | "url" | "sealed_routing_key">,
): Promise<string> => open(target, target.sealed_routing_key ?? "", "routing key");

/**
 * Returns the decrypted request headers of an endpoint for traces; empty if it has none.
 * @throws Error if they cannot be decrypted
 */
export async function openHeaders(target: Pick<StoredEventEndpoint, "id" | "url" | "sealed_headers">) {
  const { sealed_headers: sealed } = target;
  return sealed === null ? {} : parseHeaders(await open(target, sealed, "headers"));
}
