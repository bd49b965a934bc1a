import { account, partition, region } from "../assembly/local-account.ts";
import type { AccessRequest } from "./permissions.ts";

/** Geography in front of a model id, which makes it the id of an inference profile: `eu.`. */
const profilePrefix = /^(?:us|us-gov|eu|apac|jp|au|ca|global)\./;

/**
 * Returns the permissions that a request to Bedrock requires. An inference profile also requires permission for its model in
 * each region; the regions are not compared here.
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
