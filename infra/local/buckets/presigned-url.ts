import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { AwsException } from "../aws-json.ts";

/** Secret access key of all functions in the local runner. */
const secretAccessKey = "local";

/**
 * Verifies signature and expiry of a presigned URL, as S3 does.
 * @returns the access key, which in the local runner is the name of the function that signed the URL
 * @throws AwsError `AccessDenied` or `SignatureDoesNotMatch`
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export function verifyPresignedUrl(request: IncomingMessage): string {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const parameters = new URLSearchParams(query);
  const read = (name: string) => parameters.get(`X-Amz-${name}`) ?? "";
  const [accessKey = "", ...scope] = read("Credential").split("/");
  const date = read("Date");
  const signedAt = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (read("Signature") === "" || Number.isNaN(signedAt)) throw new AwsException("AccessDenied", "Access Denied");
  if (Date.now() > signedAt + Number(read("Expires")) * 1_000) {
    throw new AwsException("AccessDenied", "Request has expired");
  }
  const canonicalQuery = query
    .split("&")
    .filter((pair) => !pair.startsWith("X-Amz-Signature="))
    .sort()
    .join("&");
  const names = read("SignedHeaders").split(";");
  const headerLines = names.map((name) => `${name}:${request.headers[name] ?? ""}\n`).join("");
  const canonical = [request.method, path, canonicalQuery, headerLines, names.join(";"), "UNSIGNED-PAYLOAD"].join("\n");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const stringToSign = ["AWS4-HMAC-SHA256", date, scope.join("/"), digest].join("\n");
  const hmac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const signingKey = scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
  if (hmac(signingKey, stringToSign).toString("hex") !== read("Signature")) {
    throw new AwsException("SignatureDoesNotMatch", "The request signature does not match the signature you provided.");
  }
  return accessKey;
}
