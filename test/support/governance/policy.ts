import type { Policy, PolicyRules } from "#shared/api/governance/policy.ts";
import type { Client } from "../client.ts";

/** The rules of a client's tenant with some of them changed, as they can be sent. */
export async function policyRules(client: Client, changes: Partial<PolicyRules> = {}): Promise<PolicyRules> {
  const { version: _, updated_at: __, updated_by: ___, ...rules } = (await client.get("/v1/policy")).body as Policy;
  return { ...rules, ...changes };
}

/** Changes some rules of a client's tenant. */
export async function setPolicy(client: Client, changes: Partial<PolicyRules>): Promise<void> {
  const rules = await policyRules(client, changes);
  const { status, text } = await client.request("PUT", "/v1/policy", rules, { "if-match": "*" });
  if (status !== 200) throw new Error(`No policy: ${text}`);
}
