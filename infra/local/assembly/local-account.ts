import { createHash } from "node:crypto";

/** Region and account of the emulated resources. The account id does not exist on AWS. */
export const region = "us-east-1";
export const account = "000000000000";
export const partition = "aws";
export const urlSuffix = "amazonaws.com";

/** Builds a well-formed ARN in the local account. */
export function arn(service: string, resource: string): string {
  const regional = service === "iam" || service === "cloudfront" ? "" : region;
  return `arn:${partition}:${service}:${regional}:${account}:${resource}`;
}

/** Derives a short lower-case id from a name, in the format of API Gateway's ids. The same name gives the same id. */
export function stableId(name: string, length = 10): string {
  const digest = createHash("sha256").update(name).digest("hex");
  return BigInt(`0x${digest}`).toString(36).padStart(length, "0").slice(-length);
}
