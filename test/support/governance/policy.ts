import type { Policy, PolicyRules } from "#shared/api/governance/policy.ts";
import type { Client } from "../client.ts";

/** Returns the rules of a client's tenant with changes applied, as a request body. */
export async function getPolicyRules(client: Client, changes: Partial<PolicyRules> = {}): Promise<PolicyRules> {
  const { version: _, updated_at: __, updated_by: ___, ...rules } = (await client.get("/v1/policy")).body as Policy;
  return { ...rules, ...changes };
}

/** Updates rules of a client's tenant and keeps the others. */
export async function setPolicy(client: Client, changes: Partial<PolicyRules>): Promise<void> {
  const rules = await getPolicyRules(client, changes);
  const { status, text } = await client.request("PUT", "/v1/policy", rules, { "if-match": "*" });
  if (status !== 200) throw new Error(`Updating the policy failed: ${text}`);
}
