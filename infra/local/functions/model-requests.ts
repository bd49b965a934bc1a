import { account, partition, region } from "../assembly/local-account.ts";
import type { AccessRequest } from "./permissions.ts";

/** Prefix of the id of an inference profile, which names a geography: `eu.`. */
const profilePrefix = /^(?:us|us-gov|eu|apac|jp|au|ca|global)\./;

/**
 * Returns the permissions that a request to Bedrock needs. A request to an inference profile also needs permission for the
 * model in each region that the profile routes to; the regions are not compared here.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
 */
export function modelRequests(path: string): AccessRequest[] {
  const [, kind, encodedId = "", ...rest] = path.split("?")[0]?.split("/") ?? [];
  const id = decodeURIComponent(encodedId);
  const local = `arn:${partition}:bedrock:${region}`;
  const model = (name: string) => `${local}::foundation-model/${name}`;
  if (kind === "guardrail") {
    return [{ action: "bedrock:ApplyGuardrail", resource: toArn(id, `${local}:${account}:guardrail/${id}`) }];
  }
  if (kind !== "model") return [{ action: `bedrock:${kind}`, resource: "*" }];
  const action = rest.join("/").endsWith("-stream") ? "bedrock:InvokeModelWithResponseStream" : "bedrock:InvokeModel";
  if (!profilePrefix.test(id)) return [{ action, resource: toArn(id, model(id)) }];
  const resources = [`${local}:${account}:inference-profile/${id}`, model(id.replace(profilePrefix, ""))];
  return resources.map((resource) => ({ action, resource }));
}

const toArn = (id: string, arn: string): string => (id.startsWith("arn:") ? id : arn);
