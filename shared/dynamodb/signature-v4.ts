import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import type { AwsSettings } from "../lib/env.ts";

const algorithm = "AWS4-HMAC-SHA256";

const hmac = (key: Buffer | KeyObject, text: string) => createHmac("sha256", key).update(text).digest();

/**
 * Signs POSTs of JSON to one of AWS's services, all to the path `/`. Synchronous, and the day's key is derived once:
 * of what a small request costs, signing must not be the larger part.
 * @param host as the request's `Host` header has it
 * @returns gives the headers of a request, signature included
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signatureV4(
  service: string,
  host: string,
  { region, accessKeyId, secretAccessKey, sessionToken }: AwsSettings,
): (target: string, body: string, now: Date) => Record<string, string> {
  const tokenLine = sessionToken ? `x-amz-security-token:${sessionToken}\n` : "";
  const signedHeaders = `content-type;host;x-amz-date;${sessionToken ? "x-amz-security-token;" : ""}x-amz-target`;
  const contentType = "application/x-amz-json-1.0";
  let key: { day: string; secret: KeyObject } | undefined;

  const keyOf = (day: string) => {
    if (key?.day !== day) {
      const steps = [day, region, service, "aws4_request"];
      const bytes = steps.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
      // Made a key of once: from plain bytes every signature would make one, which takes longer than signing.
      key = { day, secret: createSecretKey(bytes) };
    }
    return key.secret;
  };

  return (target, body, now) => {
    const date = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
    const day = date.slice(0, 8);
    const scope = `${day}/${region}/${service}/aws4_request`;
    const headers = `content-type:${contentType}\nhost:${host}\nx-amz-date:${date}\n${tokenLine}x-amz-target:${target}\n`;
    const canonical = `POST\n/\n\n${headers}\n${signedHeaders}\n${hash("sha256", body)}`;
    const toSign = `${algorithm}\n${date}\n${scope}\n${hash("sha256", canonical)}`;
    const signature = hmac(keyOf(day), toSign).toString("hex");
    return {
      authorization: `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
      "content-type": contentType,
      host,
      "x-amz-date": date,
      ...(sessionToken && { "x-amz-security-token": sessionToken }),
      "x-amz-target": target,
    };
  };
}
