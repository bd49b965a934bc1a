import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import type { AwsSettings } from "../env.ts";

const ALGORITHM = "AWS4-HMAC-SHA256";

const hmac = (key: Buffer | KeyObject, text: string) => createHmac("sha256", key).update(text).digest();

/** A POST request to sign. */
export interface UnsignedRequest {
  /** Path with every segment URI-encoded once, as it goes over the wire. */
  readonly path: string;
  /** Headers to sign besides `host`, `x-amz-date` and the session token; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Signature Version 4 encodes the path of every service but S3 a second time. */
const canonicalPath = (path: string) =>
  path
    .split("/")
    .map((segment) =>
      encodeURIComponent(segment).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join("/");

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
  let signingKey: { day: string; secret: KeyObject } | undefined;

  const getSigningKey = (day: string) => {
    if (signingKey?.day !== day) {
      const steps = [day, region, service, "aws4_request"];
      const bytes = steps.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
      // `createHmac` converts raw key bytes to a KeyObject on every call, which takes longer than the HMAC itself.
      signingKey = { day, secret: createSecretKey(bytes) };
    }
    return signingKey.secret;
  };

  return ({ path, headers, body }, now) => {
    const date = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
    const day = date.slice(0, 8);
    const scope = `${day}/${region}/${service}/aws4_request`;
    const allHeaders: Record<string, string> = { ...headers, host, "x-amz-date": date };
    if (sessionToken) allHeaders["x-amz-security-token"] = sessionToken;
    const names = Object.keys(allHeaders).sort();
    const signedHeaders = names.join(";");
    const headerLines = names.map((name) => `${name}:${allHeaders[name]}\n`).join("");
    const canonical = `POST\n${canonicalPath(path)}\n\n${headerLines}\n${signedHeaders}\n${hash("sha256", body)}`;
    const stringToSign = `${ALGORITHM}\n${date}\n${scope}\n${hash("sha256", canonical)}`;
    const signature = hmac(getSigningKey(day), stringToSign).toString("hex");
    allHeaders.authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
    return allHeaders;
  };
}
