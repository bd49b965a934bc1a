import { createHash } from "node:crypto";

/** Where everything lives locally: it looks like AWS, and is nobody's account. */
export const region = "us-east-1";
export const account = "000000000000";
export const partition = "aws";
export const urlSuffix = "amazonaws.com";

/** A well-formed ARN in the local account. */
export function arn(service: string, resource: string): string {
  const regional = service === "iam" || service === "cloudfront" ? "" : region;
  return `arn:${partition}:${service}:${regional}:${account}:${resource}`;
}

/** A short lower-case id, always the same for the same name, such as API Gateway gives to APIs and resources. */
export function stableId(name: string, length = 10): string {
  const digest = createHash("sha256").update(name).digest("hex");
  return BigInt(`0x${digest}`).toString(36).padStart(length, "0").slice(-length);
}
