import type { EventType } from "../api/events/event-data.ts";
import { tracedTypes } from "../api/events/traced-types.ts";
import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import { invalidField } from "../lib/errors.ts";
import { requireAllowedAddress } from "../lib/outgoing/find-server-refusal.ts";
import { parseHeaders } from "../lib/outgoing/parse-headers.ts";
import type { StoredEventEndpoint } from "./endpoint-store.ts";

const invalid = (path: string, message: string) => invalidField(path, "invalid_value", message);

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

/**
 * Checks that URL, format and event types fit together.
 * @param headers null to remove them; an absent value keeps the stored one if the host of the endpoint stays the same
 * @returns the encrypted headers
 * @throws ServiceError `validation_failed`
 */
export async function sealTarget(
  target: Pick<StoredEventEndpoint, "id" | "url" | "format"> & { readonly types: readonly EventType[] },
  headers: string | null | undefined,
  before?: StoredEventEndpoint,
): Promise<Pick<StoredEventEndpoint, "sealed_headers">> {
  const { format, url, types } = target;
  requireAllowedAddress(url, "url");
  if (format !== "otlp") return { sealed_headers: null };
  assertTraceable(types, headers);
  const same = before && purposeOf(before) === purposeOf(target) ? before : undefined;
  if (headers === undefined) return { sealed_headers: same?.sealed_headers ?? null };
  const sealed_headers = headers && encrypt((await loadAppSecrets()).current, purposeOf(target), headers);
  return { sealed_headers: sealed_headers || null };
}

/**
 * Returns the decrypted request headers of an endpoint for traces; empty if it has none.
 * @throws Error if they cannot be decrypted
 */
export async function openHeaders(target: Pick<StoredEventEndpoint, "id" | "url" | "sealed_headers">) {
  const { sealed_headers: sealed } = target;
  if (sealed === null) return {};
  const { all } = await loadAppSecrets();
  const headers = verifyWithAny(all, (appSecret) => decrypt(appSecret, purposeOf(target), sealed));
  if (!headers) throw new Error("headers of the event endpoint cannot be decrypted");
  return parseHeaders(headers);
}
