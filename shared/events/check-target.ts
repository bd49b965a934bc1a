import type { EventFormat } from "../api/events/event-endpoints.ts";
import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import { findSetting } from "../lib/env.ts";
import { invalidField, ServiceError } from "../lib/errors.ts";
import type { StoredEndpoint } from "./endpoint-store.ts";

type Target = Pick<StoredEndpoint, "id" | "url" | "format" | "sealed_routing_key">;

const MAIL = "mailto:";

/** Returns the e-mail address of an endpoint. */
export const toMailAddress = (url: string): string => url.slice(MAIL.length);

/** Returns true if the operator lets e-mails be sent to an address. */
export function isMailAllowed(url: string): boolean {
  const domains = findSetting("EMAIL_DOMAINS").split(",");
  const domain = url.slice(url.lastIndexOf("@") + 1).toLowerCase();
  return findSetting("EMAIL_FROM") !== "" && domains.includes(domain);
}

const invalid = (path: string, message: string) =>
  invalidField({ path, location: "body", code: "invalid_value", message });

function assertAddress(format: EventFormat, url: string): void {
  const isMail = url.startsWith(MAIL);
  if (isMail !== (format === "email")) throw invalid("url", `is no address for the format ${format}`);
  if (!isMail || isMailAllowed(url)) return;
  throw new ServiceError(
    "conflict",
    "The operator does not let e-mails be sent to this domain (EMAIL_FROM, EMAIL_DOMAINS).",
  );
}

/** The origin is part of the purpose, so that no other site can receive the key. */
const purposeOf = ({ id, url }: Pick<Target, "id" | "url">) => `event-endpoint:${id}:${new URL(url).origin}`;

/**
 * Checks that address and format belong together, and returns the routing key of PagerDuty, encrypted.
 * @param routingKey key that was given; without one, that of the endpoint is kept while the site is the same
 * @throws ServiceError `validation_failed`, `conflict`
 */
export async function sealRoutingKey(
  target: Omit<Target, "sealed_routing_key">,
  routingKey: string | undefined,
  before?: StoredEndpoint,
): Promise<string | null> {
  const { format, url } = target;
  assertAddress(format, url);
  if (format !== "pagerduty") return null;
  if (routingKey !== undefined) return encrypt((await loadAppSecrets()).current, purposeOf(target), routingKey);
  const isSameSite = before && purposeOf(before) === purposeOf(target);
  if (isSameSite && before.sealed_routing_key) return before.sealed_routing_key;
  throw invalid("routing_key", "is required with the format pagerduty, and with each new site");
}

/** Returns the routing key of an endpoint. @throws Error if it cannot be decrypted */
export async function openRoutingKey(target: Target): Promise<string> {
  const { sealed_routing_key: sealed } = target;
  const { all } = await loadAppSecrets();
  const key = sealed && verifyWithAny(all, (appSecret) => decrypt(appSecret, purposeOf(target), sealed));
  if (!key) throw new Error("routing key of the event endpoint cannot be decrypted");
  return key;
}
