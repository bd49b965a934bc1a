import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import type { AwsSettings } from "../env.ts";

export const ALGORITHM = "AWS4-HMAC-SHA256";

export const hmac = (key: Buffer | KeyObject, text: string) => createHmac("sha256", key).update(text).digest();

/** Returns the time of a signature, such as `20260102T030405Z`. */
export const toAmzDate = (date: Date) => date.toISOString().replace(/[-:]|\.\d{3}/g, "");

/** Derives the key that signs requests of a scope, `<day>/<region>/<service>/aws4_request`. */
export const deriveSigningKey = (secretAccessKey: string, scope: string): Buffer =>
  scope.split("/").reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));

/** Percent-encodes all characters but those that RFC 3986 leaves unreserved. */
export const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

export const encodePath = (path: string) => path.split("/").map(encode).join("/");

/** A POST request to sign. */
export interface UnsignedRequest {
  /** Path with every segment URI-encoded once, as it goes over the wire. */
  readonly path: string;
  /** Headers to sign besides `host`, `x-amz-date` and the session token; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Returns a signer for POST requests to one AWS service. Signing is synchronous, and the signing key is derived once a
 * day, because deriving it for every request would cost more than the rest of a small request.
 * @param service signing name of the service, such as `dynamodb` or `bedrock`
 * @param host value of the request's `Host` header
 * @returns a function that returns all headers of a request, `authorization` included
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function requestSigner(
  service: string,
  host: string,
  { region, accessKeyId, secretAccessKey, sessionToken }: AwsSettings,
): (request: UnsignedRequest, now: Date) => Record<string, string> {
  let signingKey: { scope: string; secret: KeyObject } | undefined;

  const getSigningKey = (scope: string) => {
    if (signingKey?.scope !== scope) {
      // `createHmac` converts raw key bytes to a KeyObject on every call, which takes longer than the HMAC itself.
      signingKey = { scope, secret: createSecretKey(deriveSigningKey(secretAccessKey, scope)) };
    }
    return signingKey.secret;
  };

  return ({ path, headers, body }, now) => {
    const date = toAmzDate(now);
    const scope = `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
    const allHeaders: Record<string, string> = { ...headers, host, "x-amz-date": date };
    if (sessionToken) allHeaders["x-amz-security-token"] = sessionToken;
    const names = Object.keys(allHeaders).sort();
    const signedHeaders = names.join(";");
    const headerLines = names.map((name) => `${name}:${allHeaders[name]}\n`).join("");
    // The path of every service but S3 is encoded a second time.
    const canonical = `POST\n${encodePath(path)}\n\n${headerLines}\n${signedHeaders}\n${hash("sha256", body)}`;
    const stringToSign = `${ALGORITHM}\n${date}\n${scope}\n${hash("sha256", canonical)}`;
    const signature = hmac(getSigningKey(scope), stringToSign).toString("hex");
    allHeaders.authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
    return allHeaders;
  };
}
